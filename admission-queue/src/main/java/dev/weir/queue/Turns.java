package dev.weir.queue;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Gives answers one after the other on each thread: an answer whose receiver returns his permit at once, on the same
 * thread, lets in the next one, whose answer waits until the first has been given. Otherwise a long line would be answered
 * from within one another until the stack ended. Thread-safe.
 */
final class Turns {
    private final ConcurrentHashMap<Thread, List<Waiter>> underWay = new ConcurrentHashMap<>();

    /** Answers them, after those whom this thread is answering now. */
    void take(List<Waiter> ended, Consumer<Waiter> answer) {
        Thread current = Thread.currentThread();
        List<Waiter> before = underWay.putIfAbsent(current, ended);
        if (before != null) {
            before.addAll(ended);
            return;
        }
        try {
            for (int i = 0; i < ended.size(); i++) {
                Waiter waiter = ended.get(i);
                answer.accept(waiter);
            }
        } finally {
            underWay.remove(current);
        }
    }
}
