package dev.weir.store.internal;

import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Items that become due after the same delay, so in the order in which they are added; one alarm serves all of them.
 * Thread-safe.
 */
public final class DelayLine<T extends DelayLine.Item> {
    /*
     * `armed` says that an alarm is set, or is being handled:
     *
     *     add                          alarm
     *     adds to the queue            finds the queue empty
     *     reads armed: true            armed := false
     *                                  finds the item, and arms again
     *
     * Items that are done are dropped from the head when others are added, so that the queue holds little more than what
     * is not done.
     */
    public interface Item {
        boolean isDone();

        /** The reading of the ticker from which its delay counts. */
        long since();
    }

    private static final long MIN_NANOS = 500_000;

    private final Queue<T> items = new ConcurrentLinkedQueue<>();
    private final ReentrantLock polling = new ReentrantLock();
    private final AtomicBoolean armed = new AtomicBoolean();
    private final Ticker ticker;
    private final Alarm alarm;
    private final long delay;
    private final Consumer<T> due;

    public DelayLine(Ticker ticker, Alarm alarm, long delay, Consumer<T> due) {
        this.ticker = ticker;
        this.alarm = alarm;
        this.delay = delay;
        this.due = due;
    }

    public void add(T item) {
        if (polling.tryLock()) {
            try {
                dropDone();
            } finally {
                polling.unlock();
            }
        }
        items.add(item);
        if (!armed.get() && armed.compareAndSet(false, true)) {
            ring(delay);
        }
    }

    private @Nullable T dropDone() {
        T head = items.peek();
        while (head != null && head.isDone()) {
            items.poll();
            head = items.peek();
        }
        return head;
    }

    private void ring(long nanos) {
        alarm.ring(Math.max(MIN_NANOS, nanos), this::fired);
    }

    private void fired() {
        List<T> over = new ArrayList<>();
        T next = takeDue(over);
        if (next != null) {
            ring(next.since() + delay - ticker.read());
        } else {
            armed.set(false);
            if (!items.isEmpty() && armed.compareAndSet(false, true)) {
                ring(delay);
            }
        }
        end(over);
    }

    /* What one of them throws, such as its key, is thrown after the others. */
    private void end(List<T> over) {
        RuntimeException thrown = null;
        for (T item : over) {
            try {
                due.accept(item);
            } catch (RuntimeException e) {
                thrown = e;
            }
        }
        if (thrown != null) {
            throw thrown;
        }
    }

    private @Nullable T takeDue(List<T> over) {
        polling.lock();
        try {
            long now = ticker.read();
            T head = dropDone();
            while (head != null && now - head.since() >= delay) {
                over.add(head);
                items.poll();
                head = dropDone();
            }
            return head;
        } finally {
            polling.unlock();
        }
    }
}
