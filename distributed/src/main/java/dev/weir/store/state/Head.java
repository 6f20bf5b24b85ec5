package dev.weir.store.state;

import java.util.Arrays;

/** The rule and the parameters of a rate: what all its states begin with. */
final class Head {
    private final StateRule rule;
    private final long[] parameters;
    private final byte[] bytes;

    Head(StateRule rule, long... parameters) {
        this.rule = rule;
        this.parameters = parameters;
        this.bytes = StateBytes.head(rule, parameters);
    }

    /** Whether a state was written by the same rule with the same parameters. */
    boolean begins(State state) {
        return state.rule() == rule && Arrays.equals(state.parameters(), parameters);
    }

    StateRule rule() {
        return rule;
    }

    long[] parameters() {
        return parameters;
    }

    byte[] bytes() {
        return bytes;
    }

    byte[] state(long... numbers) {
        return StateBytes.state(bytes, numbers);
    }

    byte[] state(long[] numbers, long[] elements) {
        return StateBytes.state(bytes, numbers, elements);
    }
}
