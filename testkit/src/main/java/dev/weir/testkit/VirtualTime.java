package dev.weir.testkit;

import dev.weir.Ticker;
import java.time.Duration;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Time in the test's hand: a ticker that stands still until it is moved, and alarms that ring on the way. Reading is
 * thread-safe; move it from one thread at a time. Alarms run on the moving thread, in order of time, then of setting.
 */
public final class VirtualTime implements Ticker {
    private final AtomicLong now;
    private final PriorityQueue<Alarm> alarms = new PriorityQueue<>();
    private long alarmsSet;

    private record Alarm(long order, long due, Runnable action) implements Comparable<Alarm> {
        @Override
        public int compareTo(Alarm other) {
            int byTime = Long.compare(due - other.due, 0);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    /** A clock that starts at this reading; tests should try those close to where a long wraps. */
    public VirtualTime(long origin) {
        now = new AtomicLong(origin);
    }

    /** A clock that starts at 1: zero is too kind. */
    public VirtualTime() {
        this(1);
    }

    @Override
    public long read() {
        return now.get();
    }

    /** Rings after this many nanoseconds. */
    public synchronized void alarm(long delayNanos, Runnable action) {
        alarms.add(new Alarm(alarmsSet++, now.get() + delayNanos, action));
    }

    /** Moves time forward, ringing every alarm at its own instant. */
    public void advance(long nanos) {
        if (nanos < 0) {
            throw new IllegalArgumentException("nanos must be >= 0, was " + nanos);
        }
        long end = now.get() + nanos;
        for (Alarm due = nextBefore(end); due != null; due = nextBefore(end)) {
            now.set(due.due());
            due.action().run();
        }
        now.set(end);
    }

    /** Moves time forward. */
    public void advance(Duration duration) {
        advance(duration.toNanos());
    }

    /** Sets the clock to any reading, also back, ringing nothing: for what a clock must not do and does. */
    public void jumpTo(long reading) {
        now.set(reading);
    }

    private synchronized @org.jspecify.annotations.Nullable Alarm nextBefore(long end) {
        Alarm next = alarms.peek();
        return next != null && next.due() - end <= 0 ? alarms.poll() : null;
    }
}
