package dev.weir.share;

import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.spi.Registration;
import java.util.PriorityQueue;

/** Virtual time that may be moved inside an alarm: what is called there takes time, in which the alarms of others ring. */
final class SimulatedTime implements Ticker, Alarm {
    private record Set(long due, long order, Runnable action) implements Comparable<Set> {
        @Override
        public int compareTo(Set other) {
            return due != other.due ? Long.compare(due, other.due) : Long.compare(order, other.order);
        }
    }

    private final PriorityQueue<Set> alarms = new PriorityQueue<>();
    private final Runnable afterEach;
    private long now = 1;
    private long order;

    SimulatedTime(Runnable afterEach) {
        this.afterEach = afterEach;
    }

    @Override
    public long read() {
        return now;
    }

    @Override
    public Registration ring(long nanos, Runnable action) {
        Set alarm = new Set(now + nanos, order++, action);
        alarms.add(alarm);
        return () -> alarms.remove(alarm);
    }

    void advance(long nanos) {
        long end = now + nanos;
        for (Set next = alarms.peek(); next != null && next.due() <= end; next = alarms.peek()) {
            alarms.remove(next);
            now = Math.max(now, next.due());
            next.action().run();
            afterEach.run();
        }
        now = Math.max(now, end);
    }
}
