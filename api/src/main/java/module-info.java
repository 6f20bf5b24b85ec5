import org.jspecify.annotations.NullMarked;

/** The contract of Weir: for callers, for extenders, and the engine that owners create limiters with. */
@NullMarked
@SuppressWarnings("module") // The modules of the qualified exports are compiled later.
module dev.weir {
    requires static com.google.errorprone.annotations;
    requires static transitive org.jspecify;

    exports dev.weir;
    exports dev.weir.spi;
    exports dev.weir.engine;
    exports dev.weir.internal to
            dev.weir.adaptive,
            dev.weir.algorithms,
            dev.weir.config,
            dev.weir.console,
            dev.weir.consul,
            dev.weir.distributed,
            dev.weir.etcd,
            dev.weir.http,
            dev.weir.http.source,
            dev.weir.jdbc,
            dev.weir.micrometer,
            dev.weir.nacos,
            dev.weir.named,
            dev.weir.queue,
            dev.weir.redis,
            dev.weir.servlet,
            dev.weir.spring,
            dev.weir.spring.boot,
            dev.weir.store.limits,
            dev.weir.zookeeper;
    exports dev.weir.succession to
            dev.weir.adaptive,
            dev.weir.algorithms,
            dev.weir.config,
            dev.weir.distributed,
            dev.weir.http,
            dev.weir.named,
            dev.weir.store.limits,
            dev.weir.testkit;
}
