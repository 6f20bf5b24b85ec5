import org.jspecify.annotations.NullMarked;

/** Limits before the requests of a server, decisions as HTTP fields, and the address of a client. */
@NullMarked
module dev.weir.http {
    requires transitive dev.weir;
    requires transitive dev.weir.named;
    requires static transitive org.jspecify;

    exports dev.weir.http;
}
