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
 * 0 it is a direct hand-off. First in, first out. No thread waits for room: a pool refuses a task instead. Thread-safe.
 */
final class ResizableQueue extends AbstractQueue<Runnable> implements BlockingQueue<Runnable> {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notEmpty = lock.newCondition();

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
            boolean fits = tasks.size() < (long) capacity + idle;
            if (fits) {
                tasks.addLast(task);
                notEmpty.signal();
            }
            return fits;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean offer(Runnable task, long timeout, TimeUnit unit) {
        throw new UnsupportedOperationException("a pool does not wait for room");
    }

    @Override
    public void put(Runnable task) {
        throw new UnsupportedOperationException("a pool does not wait for room");
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
            return tasks.pollFirst();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public @Nullable Runnable poll() {
        lock.lock();
        try {
            return tasks.pollFirst();
        } finally {
            lock.unlock();
        }
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
