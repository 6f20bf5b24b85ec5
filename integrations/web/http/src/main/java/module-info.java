import org.jspecify.annotations.NullMarked;

/** Decisions as HTTP fields, and the address of a client. */
@NullMarked
module dev.weir.http {
    requires transitive dev.weir;
    requires static transitive org.jspecify;

    exports dev.weir.http;
}
