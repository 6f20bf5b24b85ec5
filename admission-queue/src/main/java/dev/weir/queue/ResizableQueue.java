package dev.weir.queue;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A pool's queue whose bound may change: offers are serial, and refused while it holds that many, but for one task for each
 * worker that waits for one.
 */
final class ResizableQueue extends LinkedBlockingQueue<Runnable> {
    private static final long serialVersionUID = 1L;

    private final AtomicInteger idle = new AtomicInteger();
    private volatile int capacity;

    ResizableQueue(int capacity) {
        resize(capacity);
    }

    /** What is in it stays. */
    void resize(int next) {
        if (next < 0) {
            throw new IllegalArgumentException("capacity must be >= 0, was " + next);
        }
        capacity = next;
    }

    int capacity() {
        return capacity;
    }

    @Override
    public int remainingCapacity() {
        return Math.max(0, capacity - size());
    }

    /* The one way by which a pool adds. Two that both saw the last place free would both take it, were they not serial. */
    @Override
    public synchronized boolean offer(Runnable task) {
        return size() < capacity + idle.get() && super.offer(task);
    }

    @Override
    public Runnable take() throws InterruptedException {
        idle.incrementAndGet();
        try {
            return super.take();
        } finally {
            idle.decrementAndGet();
        }
    }

    @Override
    public @Nullable Runnable poll(long timeout, TimeUnit unit) throws InterruptedException {
        idle.incrementAndGet();
        try {
            return super.poll(timeout, unit);
        } finally {
            idle.decrementAndGet();
        }
    }
}
