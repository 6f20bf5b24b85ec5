package dev.weir.store.rates;

import dev.weir.spi.StrategySpec;
import dev.weir.store.Store;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.StoreRateLimiterBuilder;
import dev.weir.store.WhenAway;
import dev.weir.store.state.StateLimit;
import dev.weir.store.state.StateStore;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The factory of limiters that any {@link StateStore} counts for all instances, each {@linkplain dev.weir.Request#key() key} by itself;
 * requests without a key count together. A key is null, a String, {@link dev.weir.keyed.KeyValues}, {@link dev.weir.keyed.Dimensions}, a
 * number, a Boolean, a Character, a UUID or an enum constant.
 *
 * <p>No failure of the store reaches a caller: what it does not decide in time is decided by {@link WhenAway}. The store stays open when a
 * limiter is closed.
 */
public final class StateLimiters {
    private StateLimiters() {}

    /**
     * A limiter with one compare-and-set for each grant.
     *
     * @param name limiters with the same name in one store share the limit; not blank
     * @param spec as for {@link StateRates#of}
     * @param whenAway what is granted while the store does not answer
     * @throws IllegalArgumentException if the name is blank, or a store cannot count such a limit; the message says why
     */
    public static StoreRateLimiter of(String name, StrategySpec spec, StateStore store, WhenAway whenAway) {
        return of(name, spec, store, whenAway, options -> {});
    }

    /**
     * The same with other options, such as the mode: {@code options -> options.mode(Mode.batched(20))}.
     *
     * @param options sets what is not to be as by default
     * @throws IllegalArgumentException if the name is blank, a store cannot count such a limit, or an option does not fit
     */
    public static StoreRateLimiter of(
            String name,
            StrategySpec spec,
            StateStore store,
            WhenAway whenAway,
            Consumer<StoreRateLimiterBuilder> options) {
        Objects.requireNonNull(store, "store");
        StoreRateLimiterBuilder builder = StoreRateLimiter.builder(
                        name, spec, rate -> limit(name, rate, store), whenAway)
                .local(LocalRates::of);
        options.accept(builder);
        return builder.build();
    }

    /** The factory of the limits that documents name, over this store. */
    public static Store named(StateStore store) {
        Objects.requireNonNull(store, "store");
        return (name, spec, mode, whenAway) -> of(name, spec, store, whenAway, options -> options.mode(mode));
    }

    /**
     * A limit without a limiter, as a test of a store needs it.
     *
     * @param name as for {@link #of}
     * @param spec as for {@link StateRates#of}
     * @throws IllegalArgumentException if the name is blank, or a store cannot count such a limit; the message says why
     */
    public static StateLimit limit(String name, StrategySpec spec, StateStore store) {
        return StateLimit.of(store, name, StateRates.of(spec), StateLimiters::text);
    }

    /** Of each key another one. Only keys that are made of several strings need that these are told apart. */
    static @Nullable String text(@Nullable Object key) {
        if (key == null) {
            return "";
        }
        KeyText text = KeyText.of(key);
        if (text == null) {
            return null;
        }
        if (text.type().equals("s")) {
            return "s:" + text.values().get(0);
        }
        StringBuilder all = new StringBuilder(text.type()).append(':');
        for (String value : text.values()) {
            all.append(value.replace("%", "%25").replace("|", "%7C")).append('|');
        }
        return all.toString();
    }
}
