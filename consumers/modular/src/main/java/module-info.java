/** Weir as modules. Lettuce is an automatic module, and such a module requires none; so its user requires the modules of Netty. */
module consumers.modular {
    requires dev.weir.config;
    requires dev.weir.micrometer;
    requires dev.weir.redis;
    requires io.netty.handler;
    requires io.netty.resolver.dns;
}
