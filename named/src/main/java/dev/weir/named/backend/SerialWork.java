package dev.weir.named.backend;

import java.util.concurrent.atomic.AtomicInteger;

/** A task that one thread at a time runs, once more if it was requested meanwhile. Thread-safe; does not block. */
final class SerialWork {
    /*
     * Who comes while the work is done leaves a mark, and the thread at work goes round once more:
     *
     *     a document                      code declares a default
     *     target := t1
     *     marks 0 -> 1: works
     *                                     target := t2
     *                                     marks 1 -> 2: returns
     *     marks 2 - 1 > 0: works again, with t2
     */
    private final AtomicInteger marks = new AtomicInteger();

    /** Does the work, unless another thread is at it: then that thread does it once more. */
    void run(Runnable work) {
        if (marks.getAndIncrement() == 0) {
            int seen = 1;
            do {
                work.run();
                seen = marks.addAndGet(-seen);
            } while (seen != 0);
        }
    }

    /** Asks for one more round, from within the work. */
    void again() {
        marks.getAndIncrement();
    }
}
