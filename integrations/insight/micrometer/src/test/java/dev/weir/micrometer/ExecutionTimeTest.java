package dev.weir.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ExecutionTimeTest {
    private static final int RELEASES = 50_000;

    @Test
    void aTimedPermitStandsForThoseSinceTheLastOne() {
        WeirMeters.ExecutionTime times = new WeirMeters.ExecutionTime();
        for (long held : new long[] {-1, -1, 30, -1, 10, -1}) {
            times.released(held);
        }
        assertEquals(6, times.count());
        assertEquals(3 * 30 + 2 * 10, times.totalNanos());
    }

    /** Each permit was held for 1 ns: the time is the number of permits, each counted once. */
    @Test
    void noneStandsForAnotherTwiceWhateverThreadsDo() throws InterruptedException {
        WeirMeters.ExecutionTime times = new WeirMeters.ExecutionTime();
        List<Thread> threads = Stream.<Runnable>generate(() -> () -> {
                    for (int i = 0; i < RELEASES; i++) {
                        times.released(i % 3 == 0 ? 1 : -1);
                    }
                })
                .limit(4)
                .map(Thread::new)
                .toList();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        times.released(1);
        assertEquals(4 * RELEASES + 1, times.count());
        assertEquals(times.count(), times.totalNanos());
    }
}
