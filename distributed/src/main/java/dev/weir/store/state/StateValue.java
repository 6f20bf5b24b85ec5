package dev.weir.store.state;

import dev.weir.Ticker;
import dev.weir.internal.Require;
import dev.weir.spi.Alarm;
import dev.weir.store.NotCountedException;
import java.util.Objects;
import java.util.concurrent.CompletionStage;

/**
 * A value of a {@link StateStore} that calls of this instance change, by what a rule makes of it. Thread-safe; no method blocks.
 *
 * <p>At most one command is on its way. Calls that wait meanwhile are decided together, by one replacement of what the last answer told.
 * If another instance has replaced the value before, they are decided again by what is there. Calls that change nothing are decided by
 * what was read after they were made, and write nothing.
 *
 * <p>A stage fails with a {@link ContentionException} if others replaced the value again and again, and with another {@link
 * NotCountedException} if too many calls wait: nothing has changed then. With any other exception it is not known what the store has done,
 * and nothing is repeated; so it fails if the store has not answered after two seconds.
 *
 * @param <C> a call
 * @param <R> its answer
 */
public final class StateValue<C, R> {
    /** The most calls that wait, of those that go first and of the others each. */
    public static final int MOST_WAITING = 4_096;

    /** A call loses so many replacements, and for so long, before it fails. */
    static final int MOST_LOSSES = 32;

    private static final KeyChain.Terms TERMS = new KeyChain.Terms(false, MOST_LOSSES, 50_000_000, MOST_WAITING);

    private final String name;
    private final ValueChains<C, R> values;

    private StateValue(String name, ValueChains<C, R> values) {
        this.name = name;
        this.values = values;
    }

    /**
     * A value in a store.
     *
     * @param kind what the value is, so that it has another name than all others: 1 to 9 lower-case letters
     * @param name instances with the same kind and name share the value
     * @param ticker tells how long ago the store has answered
     * @param alarm lets other instances have their turn
     * @throws IllegalArgumentException if the kind is not so
     */
    public static <C, R> StateValue<C, R> of(
            StateStore store, String kind, String name, ValueRule<C, R> rule, Ticker ticker, Alarm alarm) {
        Require.that(kind.matches("[a-z]{1,9}"), "kind must be 1 to 9 lower-case letters", "\"" + kind + "\"");
        ValueChains<C, R> values = new ValueChains<>(
                Objects.requireNonNull(store, "store"), rule, TERMS, ValueChains.Timing.of(ticker, alarm));
        return new StateValue<>(new StateNames(kind, name).of(""), values);
    }

    /**
     * Decides a call.
     *
     * @param goesFirst whether it is decided before the calls that wait and do not go first
     */
    public CompletionStage<R> call(C call, boolean goesFirst) {
        return values.call(name, call, goesFirst);
    }
}
