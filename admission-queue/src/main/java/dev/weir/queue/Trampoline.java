package dev.weir.queue;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A trampoline, which completes waits one after the other on each thread. A completion may release its permit on the same thread,
 * which grants the next wait: that one is completed after the first has returned, not from within it, so that a long queue does
 * not overflow the stack. Thread-safe.
 */
final class Trampoline {
    /* One thread at a time is kept in a field; the others, where several complete at once, in a map. */
    private record Batch(Thread thread, EndedWaits pending) {}

    /* Each entry is of one thread, and only that thread removes it. */
    private final AtomicReference<@Nullable Batch> one = new AtomicReference<>();
    private final ConcurrentHashMap<Thread, EndedWaits> others = new ConcurrentHashMap<>();

    /** Completes these waits, after those that this thread is completing now. */
    void run(EndedWaits ended, Consumer<QueuedRequest> completion) {
        Thread current = Thread.currentThread();
        Batch batch = one.get();
        if (batch != null && batch.thread == current) {
            batch.pending.addAll(ended);
            return;
        }
        if (batch == null && one.compareAndSet(null, new Batch(current, ended))) {
            try {
                complete(ended, completion);
            } finally {
                one.set(null);
            }
        } else {
            runAmongOthers(current, ended, completion);
        }
    }

    private void runAmongOthers(Thread current, EndedWaits pending, Consumer<QueuedRequest> completion) {
        EndedWaits before = others.putIfAbsent(current, pending);
        if (before != null) {
            before.addAll(pending);
            return;
        }
        try {
            complete(pending, completion);
        } finally {
            others.remove(current);
        }
    }

    private static void complete(EndedWaits pending, Consumer<QueuedRequest> completion) {
        for (QueuedRequest waiter = pending.poll(); waiter != null; waiter = pending.poll()) {
            completion.accept(waiter);
        }
    }
}
