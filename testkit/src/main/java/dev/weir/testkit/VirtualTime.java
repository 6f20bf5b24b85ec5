package dev.weir.testkit;

import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.spi.Registration;
import java.time.Duration;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Time that a test controls: a ticker that moves only when it is told to, and the alarms that become due. Reading is
 * thread-safe; move it from one thread at a time. Alarms run on the moving thread, in order of time, then of setting.
 */
public final class VirtualTime implements Ticker, Alarm {
    private final AtomicLong now;
    /* Both are guarded by the monitor. */
    private final PriorityQueue<Pending> pending = new PriorityQueue<>();
    private long set;

    private record Pending(long order, long due, Runnable action) implements Comparable<Pending> {
        @Override
        public int compareTo(Pending other) {
            int byTime = Long.compare(due - other.due, 0);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    /** A clock that starts at this reading. Tests should also try readings close to where a long wraps. */
    public VirtualTime(long origin) {
        now = new AtomicLong(origin);
    }

    /** A clock that starts at 1. */
    public VirtualTime() {
        this(1);
    }

    @Override
    public long read() {
        return now.get();
    }

    @Override
    public Registration ring(long nanos, Runnable action) {
        return alarm(nanos, action);
    }

    /** Runs the action after this many nanoseconds, unless the registration is closed before. */
    public synchronized Registration alarm(long delayNanos, Runnable action) {
        Pending alarm = new Pending(set++, now.get() + delayNanos, action);
        pending.add(alarm);
        return () -> cancel(alarm);
    }

    private synchronized void cancel(Pending alarm) {
        pending.remove(alarm);
    }

    /** How many alarms are set and neither ran nor were cancelled. */
    public synchronized int pendingAlarms() {
        return pending.size();
    }

    /**
     * Moves time forward, and runs each alarm that becomes due at its own instant.
     *
     * @throws IllegalArgumentException if {@code nanos} is negative
     */
    public void advance(long nanos) {
        if (nanos < 0) {
            throw new IllegalArgumentException("nanos must be >= 0, was " + nanos);
        }
        long end = now.get() + nanos;
        for (Pending due = nextBefore(end); due != null; due = nextBefore(end)) {
            now.set(due.due());
            due.action().run();
        }
        now.set(end);
    }

    /** Moves time forward, as {@link #advance(long)}. */
    public void advance(Duration duration) {
        advance(duration.toNanos());
    }

    /** Sets the clock to any reading, also back, and runs no alarm: for tests of clocks that jump. */
    public void jumpTo(long reading) {
        now.set(reading);
    }

    private synchronized @Nullable Pending nextBefore(long end) {
        Pending next = pending.peek();
        return next != null && next.due() - end <= 0 ? pending.poll() : null;
    }
}
