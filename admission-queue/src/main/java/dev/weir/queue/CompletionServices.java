package dev.weir.queue;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorCompletionService;
import org.jspecify.annotations.Nullable;

/**
 * Which future an {@link ExecutorCompletionService} runs within another. It lets the executor make a future for its client,
 * and next, on the same thread, has it execute one of its own around it, which does not tell what it runs.
 */
final class CompletionServices<F> {
    private final ConcurrentHashMap<Thread, F> made = new ConcurrentHashMap<>();

    /** Notes that this thread had a future made, which it may execute within another. */
    F made(F future) {
        made.put(Thread.currentThread(), future);
        return future;
    }

    /** The future within this command, which the thread executes next after it had one made; null if it is another's. */
    @Nullable
    F within(Runnable command) {
        F last = made.isEmpty() ? null : made.remove(Thread.currentThread());
        return last != null && command.getClass().getNestHost() == ExecutorCompletionService.class ? last : null;
    }

    /** Forgets the last future that was made for this thread. */
    void forget() {
        made.remove(Thread.currentThread());
    }
}
