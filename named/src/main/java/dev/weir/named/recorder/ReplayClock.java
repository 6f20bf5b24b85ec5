package dev.weir.named.recorder;

import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.spi.Registration;
import java.util.PriorityQueue;

/** The time of a replay, which moves from event to event. Used by one thread. */
final class ReplayClock implements Ticker, Alarm {
    /* A strategy may take a reading of 0 for none. */
    private static final long START = 1;

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long now = START;
    private long made;

    /* What is cancelled stays in the heap, where it does nothing. */
    private static final class Event implements Comparable<Event>, Registration {
        private final long at;
        private final long order;
        private Runnable action;

        Event(long at, long order, Runnable action) {
            this.at = at;
            this.order = order;
            this.action = action;
        }

        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }

        @Override
        public void close() {
            action = () -> {};
        }
    }

    @Override
    public long read() {
        return now;
    }

    long sinceStart() {
        return now - START;
    }

    @Override
    public Registration ring(long nanos, Runnable action) {
        long at = now + Math.max(0, nanos);
        Event event = new Event(at < 0 ? Long.MAX_VALUE : at, made++, action);
        events.add(event);
        return event;
    }

    /** Moves to this time since the start, and runs what is due until then, each at its own time and in order. */
    void advanceTo(long sinceStart) {
        long end = START + sinceStart;
        for (Event next = events.peek(); next != null && next.at <= end; next = events.peek()) {
            events.remove();
            now = Math.max(now, next.at);
            next.action.run();
        }
        now = Math.max(now, end);
    }
}
