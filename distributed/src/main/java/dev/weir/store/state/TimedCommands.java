package dev.weir.store.state;

import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.store.internal.DelayLine;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Commands to a {@link StateStore}, each of which ends once. One that has no answer after two seconds fails. Thread-safe. */
final class TimedCommands {
    /** What is stored later than this after its instant is not granted, so an answer that comes later has nothing to say. */
    private static final long LONGEST_NANOS = TimeUnit.MICROSECONDS.toNanos(KeyChain.MOST_LAG_MICROS);

    private final Ticker ticker;
    private final DelayLine<Sent> sent;

    TimedCommands(Ticker ticker, Alarm alarm) {
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

    /** Sends a command. What it throws fails its stage. */
    CompletableFuture<List<Stored>> send(Supplier<CompletionStage<List<Stored>>> command) {
        CompletableFuture<List<Stored>> answer = new CompletableFuture<>();
        Sent one = new Sent(answer, ticker.read());
        try {
            CompletionStage<List<Stored>> unused = command.get().whenComplete(one::ended);
        } catch (Throwable t) {
            one.ended(null, t);
        }
        if (!one.isDone()) {
            sent.add(one);
        }
        return answer;
    }
}
