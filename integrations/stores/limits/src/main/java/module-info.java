import org.jspecify.annotations.NullMarked;

/**
 * The arithmetic that all stores share: rates by their specifications, and permits that are leased, for applications and for authors of
 * stores.
 */
@NullMarked
@SuppressWarnings("module") // The module of the qualified export is compiled later.
module dev.weir.store.limits {
    requires transitive dev.weir.config;
    requires transitive dev.weir.distributed;
    requires transitive dev.weir.algorithms;
    requires dev.weir.queue;
    requires static com.google.errorprone.annotations;
    requires static transitive org.jspecify;

    provides dev.weir.config.factory.StrategyFactory with
            dev.weir.store.rates.BanFactory;

    exports dev.weir.store.lease;
    exports dev.weir.store.rates;
    exports dev.weir.store.rates.internal to
            dev.weir.redis;
}
