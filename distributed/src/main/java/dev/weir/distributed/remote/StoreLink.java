package dev.weir.distributed.remote;

import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands to the store, a bounded number at a time, each with a time-out. After some failures one after the other the
 * store counts as away: nothing is sent but one ping after the other, until one is answered. Thread-safe.
 */
final class StoreLink {
    private final Ticker ticker;
    private final Alarm alarm;
    private final int maxInFlight;
    private final int maxFailures;
    private final long probeNanos;
    private final Supplier<RemoteLimit> store;
    private final Runnable beforeUp;
    private final DelayLine<StoreCall> calls;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger failuresInARow = new AtomicInteger();
    private final LongAdder timeouts = new LongAdder();
    private final LongAdder failures = new LongAdder();
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

    int inFlight() {
        return inFlight.get();
    }

    long timeouts() {
        return timeouts.sum();
    }

    long failures() {
        return failures.sum();
    }

    /** Probes no more. */
    void close() {
        closed = true;
    }

    /** Sends a command; false if the store is away or too many are in flight. */
    boolean send(StoreCall call) {
        return up && sendAnyway(call);
    }

    /** Sends a command also if the store is away; false if too many are in flight. */
    boolean sendAnyway(StoreCall call) {
        if (inFlight.incrementAndGet() > maxInFlight) {
            inFlight.decrementAndGet();
            return false;
        }
        start(call);
        return true;
    }

    private void start(StoreCall call) {
        call.sentAt(ticker.read());
        calls.add(call);
        try {
            CompletionStage<?> stage = Objects.requireNonNull(call.send(), "stage");
            stage.whenComplete((answer, thrown) -> completed(call, answer, thrown));
        } catch (Throwable t) {
            completed(call, null, t);
        }
    }

    private void completed(StoreCall call, @Nullable Object answer, @Nullable Throwable thrown) {
        boolean good = thrown == null && call.accepts(answer);
        if (call.end()) {
            inFlight.decrementAndGet();
            if (good) {
                if (failuresInARow.get() != 0) {
                    failuresInARow.set(0);
                }
                call.answered(Objects.requireNonNullElse(answer, call));
            } else {
                failures.increment();
                failed(call);
            }
        } else if (good) {
            call.answeredLate(Objects.requireNonNullElse(answer, call));
        }
    }

    private void timedOut(StoreCall call) {
        if (call.end()) {
            inFlight.decrementAndGet();
            timeouts.increment();
            failed(call);
        }
    }

    private void failed(StoreCall call) {
        if (failuresInARow.incrementAndGet() >= maxFailures && away()) {
            probeLater();
        }
        call.failed();
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
    private final class Probe extends StoreCall {
        @Override
        CompletionStage<?> send() {
            return store.get().ping();
        }

        @Override
        boolean accepts(@Nullable Object answer) {
            return true;
        }

        @Override
        void answered(Object answer) {
            try {
                beforeUp.run();
            } finally {
                failuresInARow.set(0);
                up = true;
            }
        }

        @Override
        void failed() {
            probeLater();
        }
    }
}
