package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.LimitExceededException;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.engine.ManagedLimiter;
import dev.weir.internal.Undoable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A queue between producers that block and consumers, bounded by the number of unfinished elements, not of queued ones: an
 * element holds its slot, a permit of a limiter, from {@link #put} until its consumer calls {@link Entry#done}. The limit may
 * change at any time. First in, first out. Thread-safe.
 */
public final class WorkQueue<E> implements AutoCloseable {
    private static final Duration UNBOUNDED = Duration.ofNanos(Long.MAX_VALUE);

    private final AdmissionQueue slots;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /* Both are guarded by the lock. */
    private final ArrayDeque<Entry<E>> entries = new ArrayDeque<>();
    private boolean closed;

    private WorkQueue(AdmissionQueue slots) {
        this.slots = slots;
    }

    /** A queue with the limiter's permits as slots; {@code producers} describes the queue of blocked producers. */
    public static <E> WorkQueue<E> of(ManagedLimiter limiter, QueueSpec producers) {
        return new WorkQueue<>(AdmissionQueue.before(limiter, producers));
    }

    /** An element with its slot. Thread-safe. */
    public static final class Entry<E> implements AutoCloseable {
        private final E element;
        private final Permit slot;

        private Entry(E element, Permit slot) {
            this.element = element;
            this.slot = slot;
        }

        /** The element. */
        public E element() {
            return element;
        }

        /** Releases the slot; false if that was done before. Does not block. */
        public boolean done(Outcome outcome) {
            return slot.release(outcome);
        }

        /** As {@link #done} with {@link Outcome#IGNORED}. */
        @Override
        public void close() {
            slot.close();
        }
    }

    /**
     * Adds an element, blocking until there is a slot.
     *
     * @throws LimitExceededException if too many producers block, or the queue is or gets closed
     * @throws InterruptedException if the thread is interrupted; nothing was put then
     */
    public void put(E element) throws InterruptedException {
        Rejection refused = add(element, UNBOUNDED);
        if (refused != null) {
            throw new LimitExceededException(refused);
        }
    }

    /**
     * Adds an element, blocking for a slot for at most {@code maxWait}. False if there was none, or the queue is closed.
     *
     * @param maxWait zero or negative = without blocking
     * @throws InterruptedException if the thread is interrupted; nothing was put then
     */
    public boolean offer(E element, Duration maxWait) throws InterruptedException {
        return add(element, maxWait) == null;
    }

    private @Nullable Rejection add(E element, Duration maxWait) throws InterruptedException {
        Objects.requireNonNull(element, "element");
        Decision decision = slots.acquire(Request.ONE, maxWait);
        if (decision instanceof Rejection refused) {
            return refused;
        }
        Permit slot = (Permit) decision;
        if (!entered(new Entry<>(element, slot))) {
            Undoable.undo(slot);
            return new Rejection(slots.name(), Reason.CANCELLED, 0, 0);
        }
        return null;
    }

    private boolean entered(Entry<E> entry) {
        lock.lock();
        try {
            if (!closed) {
                entries.addLast(entry);
                changed.signal();
            }
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes an element, blocking until there is one; null once the queue is closed and empty. The consumer releases the slot.
     *
     * @throws InterruptedException if the thread is interrupted; nothing was taken then
     */
    public @Nullable Entry<E> take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (entries.isEmpty() && !closed) {
                changed.await();
            }
            return entries.pollFirst();
        } finally {
            lock.unlock();
        }
    }

    /** How many elements have not been taken. */
    public int size() {
        lock.lock();
        try {
            return entries.size();
        } finally {
            lock.unlock();
        }
    }

    /** Refuses new elements, also those of blocked producers. Queued elements can still be taken. Idempotent. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        slots.close();
    }

    /** The limiter's name, and how many elements have not been taken. */
    @Override
    public String toString() {
        return "WorkQueue[" + slots.name() + ", " + size() + " queued]";
    }
}
