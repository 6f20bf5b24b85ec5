package dev.weir.store.rates;

import dev.weir.spi.StrategySpec;
import dev.weir.store.Mode;
import dev.weir.store.Store;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.StoreRateLimiterBuilder;
import dev.weir.store.WhenAway;
import dev.weir.store.rates.internal.KeyText;
import dev.weir.store.state.StateLimit;
import dev.weir.store.state.StateStore;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The limiters that a {@link StateStore} counts for all instances, each {@linkplain dev.weir.Request#key() key} by itself; requests
 * without a key count together. A key is null, a String, {@link dev.weir.keyed.KeyValues}, {@link dev.weir.keyed.Dimensions}, a number,
 * a Boolean, a Character, a UUID or an enum constant. Thread-safe.
 *
 * <p>No failure of the store reaches a caller: what it does not decide in time is decided by {@link WhenAway}.
 *
 * @param states stays open
 */
public record StateLimits(StateStore states) implements Store {
    /** Checks the component. */
    public StateLimits {
        Objects.requireNonNull(states, "states");
    }

    @Override
    public StoreRateLimiter limiter(String name, StrategySpec spec, Mode mode, WhenAway whenAway) {
        return limiter(name, spec, whenAway, options -> options.mode(mode));
    }

    /**
     * A limiter in exact mode, if the options do not say otherwise.
     *
     * @param name part of the names in the store: limiters with the same name share the limit
     * @param spec what {@link StateRates#of} accepts
     * @param whenAway what is granted while the store does not answer
     * @param options sets what is not to be as by default
     * @throws IllegalArgumentException if the name is blank, no store counts such a limit, or an option does not fit
     */
    public StoreRateLimiter limiter(
            String name, StrategySpec spec, WhenAway whenAway, Consumer<StoreRateLimiterBuilder> options) {
        StoreRateLimiterBuilder builder = StoreRateLimiter.builder(
                        name,
                        spec,
                        rate -> StateLimit.of(states, name, StateRates.of(rate), StateLimits::text),
                        whenAway)
                .local(LocalRates::of);
        options.accept(builder);
        return builder.build();
    }

    /**
     * The text of a key: another one for each key, the same in each process.
     *
     * @return null if the class of the key has no text that is the same in each process
     */
    public static @Nullable String text(@Nullable Object key) {
        if (key == null) {
            return "";
        }
        KeyText text = KeyText.of(key);
        return text == null
                ? null
                : text.values().stream()
                        .map(value -> value.replace("%", "%25").replace("|", "%7C"))
                        .collect(Collectors.joining(
                                "|", text.type() + text.values().size() + ':', ""));
    }
}
