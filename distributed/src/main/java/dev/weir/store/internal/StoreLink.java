package dev.weir.store.internal;

import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection to the store that sends a bounded number of commands at a time, each with a time-out. After some failures one
 * after the other the store counts as away: nothing is sent but one ping after the other, until one is answered. Thread-safe.
 */
public final class StoreLink {
    private static final VarHandle ENDED;

    static {
        try {
            ENDED = MethodHandles.lookup().findVarHandle(Call.class, "ended", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Ticker ticker;
    private final Alarm alarm;
    private final int maxInFlight;
    private final int maxFailures;
    private final long probeNanos;
    private final Store store;
    private final DelayLine<Call<?>> calls;
    /* Raised before it is compared. */
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger failuresInARow = new AtomicInteger();
    private final LongAdder timeouts = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder unsent = new LongAdder();
    private final LongAdder answers = new LongAdder();
    private final LongAdder answerNanos = new LongAdder();
    private final LongAdder healed = new LongAdder();
    /* Only the change to false, under the monitor, starts the prober, which alone writes true. */
    private volatile boolean up = true;
    private volatile boolean closed;

    /** The limits of a link. */
    public record Limits(long timeoutNanos, int maxInFlight, int maxFailures, long probeNanos) {}

    /** The store of a link. */
    public interface Store {
        /** Sends what changes nothing and is answered by a store that is not away. */
        CompletionStage<?> ping();

        /** Whether to ping a store that is away. If not, it counts as back, and the next command finds out. */
        default boolean isNeeded() {
            return true;
        }

        /** Sends, before all others, what the store has to know when it is back. */
        default void beforeUp() {}

        /** Called after the store went away or came back. */
        default void changed() {}

        /** How many values the store has replaced because they were none of its own, as this answer says. Does not throw. */
        default long healed(Object answer) {
            return 0;
        }
    }

    public StoreLink(Ticker ticker, Alarm alarm, Limits limits, Store store) {
        this.ticker = ticker;
        this.alarm = alarm;
        this.maxInFlight = limits.maxInFlight;
        this.maxFailures = limits.maxFailures;
        this.probeNanos = limits.probeNanos;
        this.store = store;
        this.calls = new DelayLine<>(ticker, alarm, limits.timeoutNanos, this::timedOut);
    }

    /** False while the store counts as away. */
    public boolean isUp() {
        return up;
    }

    /** Whether it is up, and the last command to end was answered. */
    public boolean isHealthy() {
        return up && failuresInARow.get() == 0;
    }

    public int inFlight() {
        return inFlight.get();
    }

    public long timeouts() {
        return timeouts.sum();
    }

    public long failures() {
        return failures.sum();
    }

    public long unsent() {
        return unsent.sum();
    }

    public long answers() {
        return answers.sum();
    }

    public long answerNanos() {
        return answerNanos.sum();
    }

    public long healed() {
        return healed.sum();
    }

    /** Stops probing the store. */
    public void close() {
        closed = true;
    }

    /** Sends a command; false if the store is away or too many are in flight. */
    public boolean send(StoreCommand<?> command) {
        return up && sendAnyway(command);
    }

    /** Sends a command also if the store is away; false if too many are in flight. */
    public boolean sendAnyway(StoreCommand<?> command) {
        if (inFlight.incrementAndGet() > maxInFlight) {
            inFlight.decrementAndGet();
            unsent.increment();
            return false;
        }
        start(command);
        return true;
    }

    private <T> void start(StoreCommand<T> command) {
        Call<T> call = new Call<>(command, ticker.read());
        calls.add(call);
        try {
            CompletionStage<T> unused = command.send().whenComplete(call);
        } catch (Throwable t) {
            call.accept(null, t);
        }
    }

    private void timedOut(Call<?> call) {
        if (call.end()) {
            inFlight.decrementAndGet();
            timeouts.increment();
            failed(call.command);
        }
    }

    private void failed(StoreCommand<?> command) {
        if (failuresInARow.incrementAndGet() >= maxFailures && away()) {
            probeLater();
            store.changed();
        }
        command.failed();
    }

    /** A command that was sent. */
    private final class Call<T> implements DelayLine.Item, BiConsumer<@Nullable T, @Nullable Throwable> {
        private final StoreCommand<T> command;
        private final long sentAt;
        private volatile boolean ended;

        private Call(StoreCommand<T> command, long sentAt) {
            this.command = command;
            this.sentAt = sentAt;
        }

        @Override
        public long since() {
            return sentAt;
        }

        @Override
        public boolean isDone() {
            return ended;
        }

        private boolean end() {
            return !ended && ENDED.compareAndSet(this, false, true);
        }

        @Override
        public void accept(@Nullable T answer, @Nullable Throwable thrown) {
            if (answer != null) {
                count(answer, ticker.read() - sentAt);
            }
            if (!end()) {
                if (answer != null) {
                    command.answeredLate(answer);
                }
                return;
            }
            inFlight.decrementAndGet();
            if (answer != null) {
                if (failuresInARow.get() != 0) {
                    failuresInARow.set(0);
                }
                command.answered(answer);
            } else {
                failures.increment();
                StoreLink.this.failed(command);
            }
        }
    }

    private void count(Object answer, long nanos) {
        answers.increment();
        answerNanos.add(Math.max(0, nanos));
        long replaced = store.healed(answer);
        if (replaced > 0) {
            healed.add(replaced);
        }
    }

    private synchronized boolean away() {
        boolean was = up;
        up = false;
        return was;
    }

    private void probeLater() {
        if (!closed) {
            alarm.ring(probeNanos, this::probe);
        }
    }

    private void probe() {
        if (closed) {
            return;
        }
        if (store.isNeeded()) {
            inFlight.incrementAndGet();
            start(new Probe());
        } else {
            isBack();
        }
    }

    private void isBack() {
        failuresInARow.set(0);
        up = true;
        store.changed();
    }

    /** A ping; there is one at a time. */
    private final class Probe implements StoreCommand<Boolean> {
        @Override
        public CompletionStage<Boolean> send() {
            return store.ping().thenApply(answer -> true);
        }

        @Override
        public void answered(Boolean answer) {
            try {
                store.beforeUp();
            } finally {
                isBack();
            }
        }

        @Override
        public void failed() {
            probeLater();
        }
    }
}
