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
import org.jspecify.annotations.Nullable;

/**
 * The sender of commands to a {@link StateStore}: those that replace go together, and those that read. One that has no answer after two
 * seconds fails. Thread-safe.
 */
final class ChainSender implements Joining.Sender<KeyChain, Told> {
    /** What is stored later than this after its instant is not granted, so an answer that comes later has nothing to say. */
    private static final long LONGEST_NANOS = TimeUnit.MICROSECONDS.toNanos(ChainResult.MOST_LAG_MICROS);

    private final StateStore store;
    private final ChainResult.Steps steps;
    private final Ticker ticker;
    private final DelayLine<Sent> sent;

    ChainSender(StateStore store, ChainResult.Steps steps, Ticker ticker, Alarm alarm) {
        this.store = store;
        this.steps = steps;
        this.ticker = ticker;
        this.sent = new DelayLine<>(ticker, alarm, LONGEST_NANOS, Sent::timedOut);
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

    /** The calls of one kind, and the places of their chains. */
    private static final class Calls<C> {
        private final List<C> calls = new ArrayList<>();
        private final List<Integer> places = new ArrayList<>();

        private void add(int place, C call) {
            places.add(place);
            calls.add(call);
        }

        /** Completes when each of its places is told. */
        private CompletableFuture<?> send(Function<List<C>, CompletionStage<List<Stored>>> by, Told[] told) {
            if (calls.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            try {
                return by.apply(calls)
                        .handle((answers, thrown) -> {
                            tell(answers, thrown, told);
                            return told;
                        })
                        .toCompletableFuture();
            } catch (Throwable t) {
                tell(null, t, told);
                return CompletableFuture.completedFuture(null);
            }
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
    public CompletionStage<List<Told>> send(List<KeyChain> chains) {
        long now = ticker.read();
        Told[] told = new Told[chains.size()];
        Calls<Replacement> replaced = new Calls<>();
        Calls<String> read = new Calls<>();
        for (int i = 0; i < told.length; i++) {
            KeyChain chain = chains.get(i);
            try {
                if (!chain.begin()) {
                    told[i] = Told.NOTHING;
                    continue;
                }
                Replacement next = chain.next(steps, now);
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
                replaced.send(in(now, store::replace), told), read.send(in(now, store::read), told));
        return both.thenApply(all -> List.of(told));
    }

    private <C> Function<List<C>, CompletionStage<List<Stored>>> in(
            long now, Function<List<C>, CompletionStage<List<Stored>>> command) {
        return calls -> {
            CompletionStage<List<Stored>> stage = command.apply(calls);
            CompletableFuture<List<Stored>> answer = new CompletableFuture<>();
            Sent one = new Sent(answer, now);
            CompletionStage<List<Stored>> unused = stage.whenComplete(one::ended);
            if (!one.isDone()) {
                sent.add(one);
            }
            return answer;
        };
    }
}
