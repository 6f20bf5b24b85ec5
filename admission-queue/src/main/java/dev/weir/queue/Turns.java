package dev.weir.queue;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Completes waits one after the other on each thread. A completion that runs on the same thread may release its permit,
 * which grants the next: that one is completed after the first has returned, not from within it, or a long queue would
 * overflow the stack. Thread-safe.
 */
final class Turns {
    /* One thread at a time is kept in a field; the others, where several complete at once, in a map. */
    private record Turn(Thread of, Queue<Waiter> granted) {}

    private final AtomicReference<@Nullable Turn> one = new AtomicReference<>();
    private final ConcurrentHashMap<Thread, Queue<Waiter>> others = new ConcurrentHashMap<>();

    /** Completes these, after those that this thread is completing now. */
    void take(List<Waiter> ended, Consumer<Waiter> completion) {
        Thread current = Thread.currentThread();
        Turn turn = one.get();
        if (turn != null && turn.of == current) {
            turn.granted.addAll(ended);
            return;
        }
        Queue<Waiter> granted = new ArrayDeque<>(ended);
        if (turn == null && one.compareAndSet(null, new Turn(current, granted))) {
            try {
                complete(granted, completion);
            } finally {
                one.set(null);
            }
        } else {
            takeAmongOthers(current, granted, completion);
        }
    }

    private void takeAmongOthers(Thread current, Queue<Waiter> granted, Consumer<Waiter> completion) {
        Queue<Waiter> before = others.putIfAbsent(current, granted);
        if (before != null) {
            before.addAll(granted);
            return;
        }
        try {
            complete(granted, completion);
        } finally {
            others.remove(current);
        }
    }

    private static void complete(Queue<Waiter> granted, Consumer<Waiter> completion) {
        for (Waiter waiter = granted.poll(); waiter != null; waiter = granted.poll()) {
            completion.accept(waiter);
        }
    }
}
