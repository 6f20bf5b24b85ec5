package dev.weir.executor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.AbstractQueue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A pool's queue whose capacity may change. It holds one task more for each worker that waits for one, so with a capacity of
 * 0 it is a direct hand-off. First in, first out. Thread-safe.
 */
final class ResizableQueue extends AbstractQueue<Runnable> implements BlockingQueue<Runnable> {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notEmpty = lock.newCondition();
    private final Condition notFull = lock.newCondition();

    @GuardedBy("lock")
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    /** How many workers wait; each stops waiting and takes its task in one step. */
    @GuardedBy("lock")
    private int idle;

    @GuardedBy("lock")
    private int capacity;

    ResizableQueue(int capacity) {
        resize(capacity);
    }

    /** Tasks in the queue stay. */
    void resize(int next) {
        if (next < 0) {
            throw new IllegalArgumentException("capacity must be >= 0, was " + next);
        }
        lock.lock();
        try {
            capacity = next;
            notFull.signalAll();
        } finally {
            lock.unlock();
        }
    }

    int capacity() {
        lock.lock();
        try {
            return capacity;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean offer(Runnable task) {
        Objects.requireNonNull(task, "task");
        lock.lock();
        try {
            return added(task);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private boolean added(Runnable task) {
        if (tasks.size() >= (long) capacity + idle) {
            return false;
        }
        tasks.addLast(task);
        notEmpty.signal();
        return true;
    }

    @Override
    public boolean offer(Runnable task, long timeout, TimeUnit unit) throws InterruptedException {
        Objects.requireNonNull(task, "task");
        long left = unit.toNanos(timeout);
        lock.lockInterruptibly();
        try {
            while (!added(task)) {
                if (left <= 0) {
                    return false;
                }
                left = notFull.awaitNanos(left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void put(Runnable task) throws InterruptedException {
        boolean added = false;
        while (!added) {
            added = offer(task, Long.MAX_VALUE, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public Runnable take() throws InterruptedException {
        Runnable task = null;
        while (task == null) {
            task = poll(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
        }
        return task;
    }

    @Override
    public @Nullable Runnable poll(long timeout, TimeUnit unit) throws InterruptedException {
        long left = unit.toNanos(timeout);
        lock.lockInterruptibly();
        try {
            idle++;
            notFull.signal();
            try {
                while (tasks.isEmpty() && left > 0) {
                    left = notEmpty.awaitNanos(left);
                }
            } catch (InterruptedException e) {
                notEmpty.signal();
                throw e;
            } finally {
                idle--;
            }
            return taken();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public @Nullable Runnable poll() {
        lock.lock();
        try {
            return taken();
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private @Nullable Runnable taken() {
        Runnable task = tasks.pollFirst();
        if (task != null) {
            notFull.signal();
        }
        return task;
    }

    @Override
    public @Nullable Runnable peek() {
        lock.lock();
        try {
            return tasks.peekFirst();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean remove(@Nullable Object task) {
        lock.lock();
        try {
            return tasks.removeFirstOccurrence(task);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int size() {
        lock.lock();
        try {
            return tasks.size();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int remainingCapacity() {
        lock.lock();
        try {
            return Math.max(0, capacity - tasks.size());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int drainTo(Collection<? super Runnable> target) {
        return drainTo(target, Integer.MAX_VALUE);
    }

    @Override
    public int drainTo(Collection<? super Runnable> target, int max) {
        lock.lock();
        try {
            int count = 0;
            for (; count < max && !tasks.isEmpty(); count++) {
                target.add(tasks.removeFirst());
            }
            notFull.signalAll();
            return count;
        } finally {
            lock.unlock();
        }
    }

    /** A copy of the tasks in the queue now. */
    @Override
    public Iterator<Runnable> iterator() {
        lock.lock();
        try {
            return new ArrayList<>(tasks).iterator();
        } finally {
            lock.unlock();
        }
    }
}
