package dev.weir.benchmarks.retries;

import dev.weir.Ticker;
import java.util.PriorityQueue;

/** Simulated time: what is due happens in order of time, then of setting. Used by one thread. */
final class Events implements Ticker {
    private final PriorityQueue<Event> due = new PriorityQueue<>();
    private long now;
    private long set;

    private record Event(long at, long order, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    @Override
    public long read() {
        return now;
    }

    void after(long nanos, Runnable action) {
        due.add(new Event(now + nanos, set++, action));
    }

    /** Lets happen what is due until this time. */
    void runUntil(long end) {
        for (Event next = due.peek(); next != null && next.at < end; next = due.peek()) {
            due.poll();
            now = next.at;
            next.action.run();
        }
        now = end;
    }
}
