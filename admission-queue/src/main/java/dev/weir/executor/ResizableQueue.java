package dev.weir.executor;

import dev.weir.internal.Require;
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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A pool's queue whose capacity may change. It holds one task more for each worker that waits for one, so with a capacity of
 * 0 it is a direct hand-off. First in, first out. No thread waits for room: a pool refuses a task instead. Thread-safe.
 */
final class ResizableQueue extends AbstractQueue<Runnable> implements BlockingQueue<Runnable> {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notEmpty = lock.newCondition();

    /* All of these are guarded by the lock. */
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    /* How many workers wait; each stops waiting and takes its task in one step. */
    private int idle;
    private int capacity;

    ResizableQueue(int capacity) {
        resize(capacity);
    }

    private <T extends @Nullable Object> T locked(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }

    /** Tasks in the queue stay. */
    void resize(int next) {
        Require.that(next >= 0, "capacity must be >= 0", next);
        locked(() -> capacity = next);
    }

    int capacity() {
        return locked(() -> capacity);
    }

    @Override
    public boolean offer(Runnable task) {
        Objects.requireNonNull(task, "task");
        return locked(() -> {
            boolean fits = tasks.size() < (long) capacity + idle;
            if (fits) {
                tasks.addLast(task);
                notEmpty.signal();
            }
            return fits;
        });
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
        return this.<@Nullable Runnable>locked(tasks::pollFirst);
    }

    @Override
    public @Nullable Runnable peek() {
        return this.<@Nullable Runnable>locked(tasks::peekFirst);
    }

    @Override
    public boolean remove(@Nullable Object task) {
        return locked(() -> tasks.removeFirstOccurrence(task));
    }

    @Override
    public int size() {
        return locked(tasks::size);
    }

    @Override
    public int remainingCapacity() {
        return locked(() -> Math.max(0, capacity - tasks.size()));
    }

    @Override
    public int drainTo(Collection<? super Runnable> target) {
        return drainTo(target, Integer.MAX_VALUE);
    }

    @Override
    public int drainTo(Collection<? super Runnable> target, int max) {
        return locked(() -> {
            int count = 0;
            for (; count < max && !tasks.isEmpty(); count++) {
                target.add(tasks.removeFirst());
            }
            return count;
        });
    }

    /** A copy of the tasks in the queue now. */
    @Override
    public Iterator<Runnable> iterator() {
        return locked(() -> new ArrayList<>(tasks)).iterator();
    }
}
