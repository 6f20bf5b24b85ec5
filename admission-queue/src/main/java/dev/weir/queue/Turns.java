package dev.weir.queue;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gives answers one after the other on each thread: an answer whose receiver returns his permit at once, on the same
 * thread, lets in the next one, whose answer waits until the first has been given. Otherwise a long line would be answered
 * from within one another until the stack ended. Thread-safe.
 */
final class Turns {
    /* One thread at a time is remembered in a field, the others, where several answer at once, in a map. */
    private record Turn(Thread of, List<Waiter> ended) {}

    private final AtomicReference<@Nullable Turn> one = new AtomicReference<>();
    private final ConcurrentHashMap<Thread, List<Waiter>> others = new ConcurrentHashMap<>();

    /** Answers them, after those whom this thread is answering now. */
    void take(List<Waiter> ended, Consumer<Waiter> answer) {
        Thread current = Thread.currentThread();
        Turn turn = one.get();
        if (turn != null && turn.of == current) {
            turn.ended.addAll(ended);
        } else if (turn == null && one.compareAndSet(null, new Turn(current, ended))) {
            try {
                give(ended, answer);
            } finally {
                one.set(null);
            }
        } else {
            takeAmongOthers(current, ended, answer);
        }
    }

    private void takeAmongOthers(Thread current, List<Waiter> ended, Consumer<Waiter> answer) {
        List<Waiter> before = others.putIfAbsent(current, ended);
        if (before != null) {
            before.addAll(ended);
            return;
        }
        try {
            give(ended, answer);
        } finally {
            others.remove(current);
        }
    }

    /* By index: it grows meanwhile. */
    private static void give(List<Waiter> ended, Consumer<Waiter> answer) {
        for (int i = 0; i < ended.size(); i++) {
            answer.accept(ended.get(i));
        }
    }
}
