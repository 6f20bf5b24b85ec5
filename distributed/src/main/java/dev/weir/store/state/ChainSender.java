package dev.weir.store.state;

import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.store.internal.DelayLine;
import dev.weir.store.internal.Joining;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The sender of commands to a {@link StateStore}: those that replace go together, and those that read. Each ends once; one that has no
 * answer after two seconds fails. Thread-safe.
 */
final class ChainSender<C, R> implements Joining.Sender<KeyChain<C, R>, ChainSender.Told> {
    /** The end of a command for one value: one of the two, or nothing was sent because its calls were cancelled. */
    record Told(@Nullable Stored stored, @Nullable Throwable thrown) {
        static final Told NOTHING = new Told(null, null);
    }

    /** The longest wait: a grant that is stored later than this after its instant does not count. */
    private static final long LONGEST_NANOS = TimeUnit.MICROSECONDS.toNanos(KeyChain.MOST_LAG_MICROS);

    private final StateStore store;
    private final Ticker ticker;
    private final DelayLine<Sent> commands;

    ChainSender(StateStore store, Ticker ticker, Alarm alarm) {
        this.store = store;
        this.ticker = ticker;
        this.commands = new DelayLine<>(ticker, alarm, LONGEST_NANOS, Sent::timedOut);
    }

    /** The calls of one kind, and the places of their chains. */
    private final class Calls<T> {
        private final List<T> calls = new ArrayList<>();
        private final List<Integer> places = new ArrayList<>();

        private void add(int place, T call) {
            places.add(place);
            calls.add(call);
        }

        /** Completes when each of its places is told. */
        private CompletableFuture<?> send(Function<List<T>, CompletionStage<List<Stored>>> by, Told[] told) {
            return calls.isEmpty()
                    ? CompletableFuture.completedFuture(null)
                    : timed(() -> by.apply(calls)).handle((answers, thrown) -> {
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
        CompletableFuture<?> both =
                CompletableFuture.allOf(replaced.send(store::replace, told), read.send(store::read, told));
        return both.thenApply(all -> List.of(told));
    }

    /** Sends a command. What it throws fails its stage. */
    private CompletableFuture<List<Stored>> timed(Supplier<CompletionStage<List<Stored>>> command) {
        CompletableFuture<List<Stored>> answer = new CompletableFuture<>();
        Sent one = new Sent(answer, ticker.read());
        try {
            CompletionStage<List<Stored>> unused = command.get().whenComplete(one::ended);
        } catch (Throwable t) {
            one.ended(null, t);
        }
        if (!one.isDone()) {
            commands.add(one);
        }
        return answer;
    }

    /** A command on its way; the one of its answer and its time-out that takes the future decides. */
    private static final class Sent implements DelayLine.Item {
        private final AtomicReference<@Nullable CompletableFuture<List<Stored>>> open;
        private final long since;

        private Sent(CompletableFuture<List<Stored>> answer, long since) {
            this.open = new AtomicReference<>(answer);
            this.since = since;
        }

        private void ended(@Nullable List<Stored> stored, @Nullable Throwable thrown) {
            CompletableFuture<List<Stored>> answer = open.getAndSet(null);
            if (answer == null) {
                return;
            }
            if (thrown == null) {
                answer.complete(stored);
            } else {
                answer.completeExceptionally(thrown);
            }
        }

        private void timedOut() {
            ended(null, new TimeoutException("the store has not answered for " + LONGEST_NANOS + " ns"));
        }

        @Override
        public boolean isDone() {
            return open.get() == null;
        }

        @Override
        public long since() {
            return since;
        }
    }
}
