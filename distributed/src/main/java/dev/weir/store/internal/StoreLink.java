package dev.weir.store.internal;

import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletionException;
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
    private final Limits limits;
    private final Store store;
    private final DelayLine<Call<?>> calls;
    /* Both are raised before they are compared. */
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger asides = new AtomicInteger();
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

        /** True if a store that is away is to be pinged. If not, it counts as back, and the next command finds out. */
        default boolean isNeeded() {
            return true;
        }

        /** Called after the store went away or came back. */
        default void changed() {}

        /** The number of values that the store has replaced because they were none of its own, as this answer says. Does not throw. */
        default long healed(Object answer) {
            return 0;
        }

        /** True if this failure says that the command has certainly changed nothing. Does not throw. */
        default boolean isUnsent(Throwable failure) {
            return false;
        }

        /** True if this failure says that the store has answered all the same. Does not throw. */
        default boolean isAnswered(Throwable failure) {
            return false;
        }
    }

    public StoreLink(Ticker ticker, Alarm alarm, Limits limits, Store store) {
        this.ticker = ticker;
        this.alarm = alarm;
        this.limits = limits;
        this.store = store;
        this.calls = new DelayLine<>(ticker, alarm, limits.timeoutNanos, this::timedOut);
    }

    /** False while the store counts as away. */
    public boolean isUp() {
        return up;
    }

    /** True while it is up, and the last command to end was answered. */
    public boolean isHealthy() {
        return up && failuresInARow.get() == 0;
    }

    public int inFlight() {
        return inFlight.get() + asides.get();
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
        return up && takesPlace(inFlight) && isStarted(new Call<>(command, true, ticker.read()));
    }

    /**
     * Sends a command for which no request waits, also if the store is away; false if too many such commands are in flight. They leave
     * the commands of requests their places, and how they end does not say whether the store is away.
     */
    public boolean sendAnyway(StoreCommand<?> command) {
        return takesPlace(asides) && isStarted(new Call<>(command, false, ticker.read()));
    }

    private boolean takesPlace(AtomicInteger places) {
        if (places.incrementAndGet() > limits.maxInFlight) {
            places.decrementAndGet();
            unsent.increment();
            return false;
        }
        return true;
    }

    private <T> boolean isStarted(Call<T> call) {
        calls.add(call);
        try {
            CompletionStage<T> stage = call.command.send();
            call.waitsFor(stage);
            CompletionStage<T> unused = stage.whenComplete(call);
        } catch (Throwable t) {
            call.accept(null, t);
        }
        return true;
    }

    private void timedOut(Call<?> call) {
        if (call.end()) {
            timeouts.increment();
            CallStage<?> stage = call.unsent;
            Throwable unsent = stage == null ? null : stage.cancelUnsent();
            failed(call, unsent, unsent != null);
        }
    }

    /* Null = a time-out of what was sent. */
    private void failed(Call<?> call, @Nullable Throwable why, boolean isUnsent) {
        boolean tells = call.tells && (why == null || !store.isAnswered(why));
        if (tells && failuresInARow.incrementAndGet() >= limits.maxFailures && away()) {
            probeLater();
            store.changed();
        }
        if (isUnsent) {
            call.command.notSent();
        } else {
            call.command.failed();
        }
    }

    /** A command that was sent. */
    private final class Call<T> implements DelayLine.Item, BiConsumer<@Nullable T, @Nullable Throwable> {
        private final StoreCommand<T> command;
        /** True if its end says something of the store: not if no request waits for it. */
        private final boolean tells;

        private final long sentAt;
        private volatile boolean ended;
        /* Null = the call was sent for all that is known. */
        private volatile @Nullable CallStage<?> unsent;

        private Call(StoreCommand<T> command, boolean tells, long sentAt) {
            this.command = command;
            this.tells = tells;
            this.sentAt = sentAt;
        }

        private void waitsFor(CompletionStage<T> stage) {
            if (stage instanceof CallStage<T> waiting) {
                waiting.within(limits.timeoutNanos);
                unsent = waiting;
            }
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
            boolean first = !ended && ENDED.compareAndSet(this, false, true);
            if (first) {
                (tells ? inFlight : asides).decrementAndGet();
            }
            return first;
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
            if (answer != null) {
                if (tells && failuresInARow.get() != 0) {
                    failuresInARow.set(0);
                }
                command.answered(answer);
            } else {
                failures.increment();
                Throwable why = cause(thrown);
                StoreLink.this.failed(this, why, why != null && store.isUnsent(why));
            }
        }
    }

    private static @Nullable Throwable cause(@Nullable Throwable thrown) {
        Throwable cause = thrown;
        while (cause instanceof CompletionException) {
            cause = cause.getCause();
        }
        return cause;
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
            alarm.ring(limits.probeNanos, this::probe);
        }
    }

    private void probe() {
        if (closed) {
            return;
        }
        if (store.isNeeded()) {
            inFlight.incrementAndGet();
            boolean unused = isStarted(new Call<>(new Probe(), true, ticker.read()));
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
            isBack();
        }

        @Override
        public void failed() {
            probeLater();
        }
    }
}
