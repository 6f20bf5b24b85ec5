package dev.weir.executor;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorCompletionService;
import org.jspecify.annotations.Nullable;

/**
 * A lookup of the future that an {@link ExecutorCompletionService} runs within another. The service first has the executor create
 * a future for its client. Next, on the same thread, it executes a command of its own that runs this future, but does not tell
 * so.
 */
final class CompletionServices<F> {
    /* Each thread has an entry of its own. */
    private final ConcurrentHashMap<Thread, F> created = new ConcurrentHashMap<>();

    /** Notes that this thread had a future created, which it may execute within another. */
    F created(F future) {
        created.put(Thread.currentThread(), future);
        return future;
    }

    /** The future within this command, which this thread executes right after it had one created; null for other commands. */
    @Nullable
    F within(Runnable command) {
        F last = created.isEmpty() ? null : created.remove(Thread.currentThread());
        return last != null && command.getClass().getNestHost() == ExecutorCompletionService.class ? last : null;
    }

    /** Forgets the last future that was created for this thread. */
    void clear() {
        created.remove(Thread.currentThread());
    }
}
