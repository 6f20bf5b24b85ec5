package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Threads that do the same at the same time. */
final class Parallel {
    private Parallel() {}

    /** Runs the work in so many threads that start together, waits for all, and fails if one throws. */
    static void run(int threads, Runnable work) throws InterruptedException {
        CountDownLatch ready = new CountDownLatch(threads);
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(() -> {
                ready.countDown();
                try {
                    ready.await();
                    work.run();
                } catch (Throwable t) {
                    failures.add(t);
                }
            });
            thread.start();
            all.add(thread);
        }
        for (Thread thread : all) {
            thread.join();
        }
        assertEquals(List.of(), failures);
    }
}
