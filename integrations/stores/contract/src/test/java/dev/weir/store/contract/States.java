package dev.weir.store.contract;

import dev.weir.spi.StrategySpec;
import dev.weir.store.Reply;
import dev.weir.store.rates.StateRates;
import dev.weir.store.state.Operation;
import dev.weir.store.state.StateRate;
import dev.weir.store.state.Step;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** States in a map, which end when their time to live has passed. */
final class States {
    private record Stored(byte[] state, long ends) {}

    private final Map<String, Stored> states = new HashMap<>();
    private final Map<StrategySpec, StateRate> rates = new HashMap<>();
    private final long margin;

    /** @param margin microseconds for which each state lives longer than it must */
    States(long margin) {
        this.margin = margin;
    }

    Reply step(StrategySpec spec, Operation operation, long permits, long grantedAt, String key, long micros) {
        StateRate rate = rates.computeIfAbsent(spec, StateRates::of);
        return apply(rate.step(state(key, micros), operation, permits, grantedAt, micros), key, micros);
    }

    Reply apply(Step step, String key, long micros) {
        byte[] next = step.state();
        if (next != null) {
            states.put(key, new Stored(next, micros + step.ttlMicros() + margin));
        }
        return step.reply();
    }

    byte @Nullable [] state(String key, long micros) {
        Stored stored = states.get(key);
        return stored == null || micros >= stored.ends ? null : stored.state;
    }
}
