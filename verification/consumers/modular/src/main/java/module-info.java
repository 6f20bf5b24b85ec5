/** Weir as modules. Lettuce is an automatic module, and such a module requires none; so its user requires the modules of Netty. */
module consumers.modular {
    requires com.h2database;
    requires dev.weir.config;
    requires dev.weir.jdbc;
    requires dev.weir.micrometer;
    requires dev.weir.redis;
    requires io.netty.handler;
    requires io.netty.resolver.dns;
}
