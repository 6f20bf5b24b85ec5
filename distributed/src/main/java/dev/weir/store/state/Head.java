package dev.weir.store.state;

import java.util.Arrays;

/** The rule and the parameters of a rate: what all its states begin with. */
final class Head {
    private final Rule rule;
    private final long[] parameters;
    private final byte[] bytes;

    Head(Rule rule, long... parameters) {
        this.rule = rule;
        this.parameters = parameters;
        this.bytes = Packed.head(rule, parameters);
    }

    /** Whether a state was written by the same rule with the same parameters. */
    boolean begins(State state) {
        return state.rule() == rule && Arrays.equals(state.parameters(), parameters);
    }

    Rule rule() {
        return rule;
    }

    long[] parameters() {
        return parameters;
    }

    byte[] bytes() {
        return bytes;
    }

    byte[] state(long... numbers) {
        return Packed.state(bytes, numbers);
    }

    /** @param from the index of the first long of the elements that count */
    byte[] state(long[] numbers, long[] elements, int from) {
        return Packed.state(bytes, numbers, elements, from);
    }
}
