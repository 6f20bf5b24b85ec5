package dev.weir.keyed;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntConsumer;

/** Threads that start together and are joined. */
final class Threads {
    private Threads() {}

    static void inParallel(int threads, IntConsumer work) throws InterruptedException {
        CountDownLatch ready = new CountDownLatch(threads);
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int number = i;
            Thread thread = new Thread(() -> {
                try {
                    ready.countDown();
                    ready.await();
                    work.accept(number);
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
