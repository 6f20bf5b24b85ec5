package dev.weir.store.state;

import org.jspecify.annotations.Nullable;

/** The arithmetic of one rule with its parameters. */
interface Arithmetic {
    /**
     * Computes what the call makes of the state.
     *
     * @param state null = it is absent or is none
     */
    StateStep step(@Nullable State state, Call call);

    Head head();
}
