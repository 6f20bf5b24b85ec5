import org.jspecify.annotations.NullMarked;

/** Limits before servlets. */
@NullMarked
module dev.weir.servlet {
    requires transitive dev.weir.http;
    requires static transitive jakarta.servlet;
    requires static transitive org.jspecify;

    exports dev.weir.servlet;
}
