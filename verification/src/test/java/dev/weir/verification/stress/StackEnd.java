package dev.weir.verification.stress;

import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Recursion into the end of a small stack, from many alignments. */
final class StackEnd {
    /* The frames before the recursion begins shift where it ends. */
    private static final int ALIGNMENTS = 97;

    private static final long STACK = 176 * 1024;

    private StackEnd() {}

    /** Fails if the stack does not end in each run. */
    static void reach(int runs, Runnable recursion) throws InterruptedException {
        reach(runs, 0, recursion);
    }

    /** From this alignment on. */
    static void reach(int runs, int from, Runnable recursion) throws InterruptedException {
        AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
        Thread thread = new Thread(
                null,
                () -> {
                    for (int run = from; run < from + runs; run++) {
                        try {
                            after(run % ALIGNMENTS, recursion);
                        } catch (StackOverflowError expected) {
                            continue;
                        } catch (Throwable t) {
                            failed.set(t);
                        }
                        failed.compareAndSet(null, new AssertionError("the stack did not end"));
                    }
                },
                "deep",
                STACK);
        thread.start();
        thread.join();
        assertNull(failed.get());
    }

    private static void after(int frames, Runnable recursion) {
        if (frames > 0) {
            after(frames - 1, recursion);
        } else {
            recursion.run();
        }
    }
}
