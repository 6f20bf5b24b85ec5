package dev.weir.distributed.remote;

import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands to the store, a bounded number at a time, each with a time-out. After some failures one after the other the
 * store counts as away: nothing is sent but one ping after the other, until one is answered. Thread-safe.
 */
final class StoreLink {
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
    private final Supplier<RemoteLimit> store;
    private final Runnable beforeUp;
    private final DelayLine<Call> calls;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger failuresInARow = new AtomicInteger();
    private final LongAdder timeouts = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder unsent = new LongAdder();
    private final LongAdder answers = new LongAdder();
    private final LongAdder answerNanos = new LongAdder();
    private final LongAdder healed = new LongAdder();
    private volatile boolean up = true;
    private volatile boolean closed;

    /** The limits of a link. */
    record Limits(long timeoutNanos, int maxInFlight, int maxFailures, long probeNanos) {}

    /** The action sends, before all others, what the store has to know when it is back. */
    StoreLink(Ticker ticker, Alarm alarm, Limits limits, Supplier<RemoteLimit> store, Runnable beforeUp) {
        this.ticker = ticker;
        this.alarm = alarm;
        this.maxInFlight = limits.maxInFlight;
        this.maxFailures = limits.maxFailures;
        this.probeNanos = limits.probeNanos;
        this.store = store;
        this.beforeUp = beforeUp;
        this.calls = new DelayLine<>(ticker, alarm, limits.timeoutNanos, this::timedOut);
    }

    /** False while the store counts as away. */
    boolean isUp() {
        return up;
    }

    /** Whether it is up, and the last command to end was answered. */
    boolean isHealthy() {
        return up && failuresInARow.get() == 0;
    }

    int inFlight() {
        return inFlight.get();
    }

    long timeouts() {
        return timeouts.sum();
    }

    long failures() {
        return failures.sum();
    }

    long unsent() {
        return unsent.sum();
    }

    long answers() {
        return answers.sum();
    }

    long answerNanos() {
        return answerNanos.sum();
    }

    long healed() {
        return healed.sum();
    }

    /** Probes no more. */
    void close() {
        closed = true;
    }

    /** Sends a command; false if the store is away or too many are in flight. */
    boolean send(StoreCommand command) {
        return up && sendAnyway(command);
    }

    /** Sends a command also if the store is away; false if too many are in flight. */
    boolean sendAnyway(StoreCommand command) {
        if (inFlight.incrementAndGet() > maxInFlight) {
            inFlight.decrementAndGet();
            unsent.increment();
            return false;
        }
        start(command);
        return true;
    }

    private void start(StoreCommand command) {
        Call call = new Call(command, ticker.read());
        calls.add(call);
        try {
            CompletionStage<?> stage = Objects.requireNonNull(command.send(), "stage");
            CompletionStage<?> unused = stage.whenComplete(call);
        } catch (Throwable t) {
            call.accept(null, t);
        }
    }

    private void timedOut(Call call) {
        if (call.end()) {
            inFlight.decrementAndGet();
            timeouts.increment();
            failed(call.command);
        }
    }

    private void failed(StoreCommand command) {
        if (failuresInARow.incrementAndGet() >= maxFailures && away()) {
            probeLater();
        }
        command.failed();
    }

    /** A command that was sent. */
    private final class Call implements DelayLine.Item, BiConsumer<@Nullable Object, @Nullable Throwable> {
        private final StoreCommand command;
        private final long sentAt;
        private volatile boolean ended;

        private Call(StoreCommand command, long sentAt) {
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
        public void accept(@Nullable Object answer, @Nullable Throwable thrown) {
            boolean good = thrown == null && command.accepts(answer);
            if (good) {
                count(answer, ticker.read() - sentAt);
            }
            if (!end()) {
                if (good) {
                    command.answeredLate(answer);
                }
                return;
            }
            inFlight.decrementAndGet();
            if (good) {
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

    private void count(@Nullable Object answer, long nanos) {
        answers.increment();
        answerNanos.add(Math.max(0, nanos));
        if (answer instanceof Reply reply && reply.healed() > 0) {
            healed.add(reply.healed());
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
        if (!closed) {
            inFlight.incrementAndGet();
            start(new Probe());
        }
    }

    /** A ping; there is one at a time. */
    private final class Probe implements StoreCommand {
        @Override
        public CompletionStage<?> send() {
            return store.get().ping();
        }

        @Override
        public boolean accepts(@Nullable Object answer) {
            return true;
        }

        @Override
        public void answered(@Nullable Object answer) {
            try {
                beforeUp.run();
            } finally {
                failuresInARow.set(0);
                up = true;
            }
        }

        @Override
        public void failed() {
            probeLater();
        }
    }
}
