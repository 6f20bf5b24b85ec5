package dev.weir.named.delivery;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A delivery to one receiver, in order and one at a time, without a lock. While the receiver is behind, so many items wait, the
 * newest. What it throws is counted. Thread-safe.
 */
public final class Delivery<T> {
    private static final int MAX_PENDING = 1000;

    private final Consumer<? super T> receiver;
    private final int max;
    private final AtomicLong failures;
    private final Queue<T> pending = new ArrayDeque<>();

    @GuardedBy("pending")
    private boolean busy;

    @GuardedBy("pending")
    private boolean closed;

    private Delivery(Consumer<? super T> receiver, int max, AtomicLong failures) {
        this.receiver = receiver;
        this.max = max;
        this.failures = failures;
    }

    /** A delivery of all items; of more than 1000 that wait, the oldest are lost, which is counted too. */
    public static <T> Delivery<T> ofAll(Consumer<? super T> receiver, AtomicLong failures) {
        return new Delivery<>(receiver, MAX_PENDING, failures);
    }

    /** A delivery of the newest item only: it takes the place of one that waits. */
    public static <T> Delivery<T> ofNewest(Consumer<? super T> receiver, AtomicLong failures) {
        return new Delivery<>(receiver, 1, failures);
    }

    /** Adds an item. The delivery of all that wait, for the caller to run; null if another thread does or will do that. */
    public @Nullable Runnable add(T item) {
        synchronized (pending) {
            if (closed) {
                return null;
            }
            if (pending.size() == max) {
                pending.remove();
                failures.getAndAdd(max == 1 ? 0 : 1);
            }
            pending.add(item);
            if (busy) {
                return null;
            }
            busy = true;
            return once(this::run);
        }
    }

    /** The same work, done at most once however often it is run: an executor may keep a task that it has refused. */
    public static Runnable once(Runnable work) {
        AtomicBoolean isRun = new AtomicBoolean();
        return () -> {
            if (isRun.compareAndSet(false, true)) {
                work.run();
            }
        };
    }

    /** Adds an item to be delivered on this executor; here if it refuses. */
    public void add(T item, Executor executor) {
        Runnable work = add(item);
        if (work != null) {
            try {
                executor.execute(work);
            } catch (Throwable refused) {
                failures.getAndIncrement();
                work.run();
            }
        }
    }

    private void run() {
        for (T item = next(); item != null; item = next()) {
            try {
                receiver.accept(item);
            } catch (Throwable t) {
                failures.getAndIncrement();
            }
        }
    }

    private @Nullable T next() {
        synchronized (pending) {
            T next = pending.poll();
            busy = next != null;
            return next;
        }
    }

    /** Delivers nothing from now on, but a call may not have ended yet. */
    public void close() {
        synchronized (pending) {
            closed = true;
            pending.clear();
        }
    }
}
