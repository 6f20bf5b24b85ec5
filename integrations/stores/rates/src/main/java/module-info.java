import org.jspecify.annotations.NullMarked;

/** The specifications of rates in the form in which a store counts them, for applications and for authors of stores. */
@NullMarked
module dev.weir.store.rates {
    requires transitive dev.weir.config;
    requires transitive dev.weir.distributed;
    requires transitive dev.weir.algorithms;
    requires static com.google.errorprone.annotations;
    requires static transitive org.jspecify;

    provides dev.weir.config.factory.StrategyFactory with
            dev.weir.store.rates.BanFactory;

    exports dev.weir.store.rates;
}
