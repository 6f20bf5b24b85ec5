package dev.weir.budget;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** Threads that start together and are joined. */
final class Together {
    private Together() {}

    static void run(List<Runnable> works) throws InterruptedException {
        CountDownLatch ready = new CountDownLatch(works.size());
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        List<Thread> all = new ArrayList<>();
        for (Runnable work : works) {
            Thread thread = new Thread(() -> {
                try {
                    ready.countDown();
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
