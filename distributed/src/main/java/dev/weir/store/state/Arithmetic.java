package dev.weir.store.state;

import org.jspecify.annotations.Nullable;

/** The arithmetic of one rule with its parameters. */
sealed interface Arithmetic permits BanState, EvenState, FixedState, LogState, WindowState {
    /**
     * Computes what the call makes of the state.
     *
     * @param state null = it is absent or is none
     */
    Step step(@Nullable State state, Call call);
}
