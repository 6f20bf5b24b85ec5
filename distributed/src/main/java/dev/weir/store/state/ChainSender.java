package dev.weir.store.state;

import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.store.internal.Joining;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The sender of commands to a {@link StateStore}: those that replace go together, and those that read. Thread-safe. */
final class ChainSender<C, R> implements Joining.Sender<KeyChain<C, R>, ChainSender.Told> {
    /** The end of a command for one value: one of the two, or nothing was sent because its calls were cancelled. */
    record Told(@Nullable Stored stored, @Nullable Throwable thrown) {
        static final Told NOTHING = new Told(null, null);
    }

    private final StateStore store;
    private final Ticker ticker;
    private final TimedCommands commands;

    ChainSender(StateStore store, Ticker ticker, Alarm alarm) {
        this.store = store;
        this.ticker = ticker;
        this.commands = new TimedCommands(ticker, alarm);
    }

    /** The calls of one kind, and the places of their chains. */
    private static final class Calls<T> {
        private final List<T> calls = new ArrayList<>();
        private final List<Integer> places = new ArrayList<>();

        private void add(int place, T call) {
            places.add(place);
            calls.add(call);
        }

        /** Completes when each of its places is told. */
        private CompletableFuture<?> send(
                TimedCommands commands, Function<List<T>, CompletionStage<List<Stored>>> by, Told[] told) {
            return calls.isEmpty()
                    ? CompletableFuture.completedFuture(null)
                    : commands.send(() -> by.apply(calls)).handle((answers, thrown) -> {
                        tell(answers, thrown, told);
                        return told;
                    });
        }

        private void tell(@Nullable List<Stored> answers, @Nullable Throwable thrown, Told[] told) {
            boolean answered = thrown == null && answers != null && answers.size() == calls.size();
            Throwable why = thrown != null || answered
                    ? thrown
                    : new IllegalStateException(calls.size() + " calls were answered by " + answers);
            for (int i = 0; i < calls.size(); i++) {
                told[places.get(i)] =
                        answered && answers != null ? new Told(answers.get(i), null) : new Told(null, why);
            }
        }
    }

    @Override
    public CompletionStage<List<Told>> send(List<KeyChain<C, R>> chains) {
        long now = ticker.read();
        Told[] told = new Told[chains.size()];
        Calls<Replacement> replaced = new Calls<>();
        Calls<String> read = new Calls<>();
        for (int i = 0; i < told.length; i++) {
            KeyChain<C, R> chain = chains.get(i);
            try {
                if (!chain.begin()) {
                    told[i] = Told.NOTHING;
                    continue;
                }
                Replacement next = chain.next(now);
                if (next != null) {
                    replaced.add(i, next);
                } else {
                    read.add(i, chain.name());
                }
            } catch (RuntimeException e) {
                told[i] = new Told(null, e);
            }
        }
        CompletableFuture<?> both = CompletableFuture.allOf(
                replaced.send(commands, store::replace, told), read.send(commands, store::read, told));
        return both.thenApply(all -> List.of(told));
    }
}
