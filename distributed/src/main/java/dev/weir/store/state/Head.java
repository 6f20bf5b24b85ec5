package dev.weir.store.state;

import java.util.Arrays;

/**
 * The rule and the parameters of a rate: what all its states begin with.
 *
 * @param bytes of both
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes or compares them
record Head(StateRule rule, long[] parameters, byte[] bytes) {
    private static final long[] NONE = {};

    static Head of(StateRule rule, long... parameters) {
        return new Head(rule, parameters, StateBytes.head(rule, parameters));
    }

    /** True if a state was written by the same rule with the same parameters. */
    boolean begins(State state) {
        return state.rule() == rule && Arrays.equals(state.parameters(), parameters);
    }

    /** The state of a key of which nothing is used. */
    State unused(long now) {
        long[] numbers = new long[rule.numbers];
        numbers[State.AT] = now;
        return new State(rule, parameters, numbers, NONE);
    }

    byte[] state(long... numbers) {
        return state(numbers, NONE);
    }

    byte[] state(long[] numbers, long[] elements) {
        return StateBytes.state(bytes, numbers, elements);
    }
}
