package dev.weir.queue;

import java.util.concurrent.LinkedBlockingQueue;

/** A pool's queue whose bound may change: offers are serial, and refused while it holds that many. */
final class ResizableQueue extends LinkedBlockingQueue<Runnable> {
    private static final long serialVersionUID = 1L;

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
        return size() < capacity && super.offer(task);
    }
}
