/** Weir as modules. */
module consumers.modular {
    requires dev.weir.config;
    requires dev.weir.micrometer;
    requires dev.weir.redis;
}
