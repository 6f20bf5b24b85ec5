import org.jspecify.annotations.NullMarked;

/** Documents from a key of Consul. */
@NullMarked
module dev.weir.consul {
    requires transitive dev.weir.config;
    requires dev.weir.http.source;
    requires java.net.http;
    requires com.fasterxml.jackson.core;
    requires static transitive org.jspecify;

    exports dev.weir.consul;
}
