import org.jspecify.annotations.NullMarked;

/** Documents from an HTTP server. */
@NullMarked
@SuppressWarnings("module") // The module of the qualified export is compiled later.
module dev.weir.http.source {
    requires transitive dev.weir.config;
    requires java.net.http;
    requires static com.google.errorprone.annotations;
    requires static transitive org.jspecify;

    exports dev.weir.http.source;
    exports dev.weir.http.source.internal to
            dev.weir.consul;
}
