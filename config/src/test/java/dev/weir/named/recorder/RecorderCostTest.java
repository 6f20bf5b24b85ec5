package dev.weir.named.recorder;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.named.NamedLimiter;
import dev.weir.named.Names;
import dev.weir.spi.Registration;
import dev.weir.testkit.Stress;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a recording costs. */
@Tag("proof")
class RecorderCostTest extends RecorderFixture {
    /** 1 % of a processor, for each slice of 10 ms. */
    private static final long BUDGET_NANOS = 100_000;

    private static final int MANY = 500;

    /**
     * All limits are asked all the time, and the thread of the recorder is the real one. The smoke form has one compiler and one
     * window, so its budget finds mistakes only.
     */
    @Test
    void theThreadTakesAHundredthOfAProcessorFor500Limits() {
        Names names = Names.builder().build();
        List<NamedLimiter> all = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            all.add(
                    i % 2 == 0
                            ? names.limiter("c" + i, new Semaphore(2))
                            : names.limiter("r" + i, TokenBucket.of(100, Duration.ofSeconds(1))));
        }
        AtomicBoolean done = new AtomicBoolean();
        Thread asking = new Thread(() -> {
            while (!done.get()) {
                all.forEach(each -> each.tryAcquire(Request.ONE));
            }
        });
        asking.setPriority(Thread.MIN_PRIORITY);
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        List<Thread> ticking = new ArrayList<>();
        Registration recording = names.recorder().record();
        try {
            asking.start();
            ticking.add(Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().equals("weir-recorder"))
                    .findFirst()
                    .orElseThrow());
            long id = ticking.get(0).getId();
            Recorder recorder = names.recorder();
            await().until(() -> recorder.slices() >= 100);
            // What other processes do to the caches only adds to it.
            long least = Long.MAX_VALUE;
            for (int window = Stress.of(1, 10, 50); window > 0; window--) {
                long slices = recorder.slices();
                long cpu = threads.getThreadCpuTime(id);
                await().atMost(Duration.ofMinutes(5)).until(() -> recorder.slices() >= slices + 100);
                least = Math.min(least, (threads.getThreadCpuTime(id) - cpu) / (recorder.slices() - slices));
            }
            System.out.println("recorder: " + least + " ns of CPU time in 10 ms, for " + MANY + " limits");
            long budget = Stress.of(5 * BUDGET_NANOS, BUDGET_NANOS, BUDGET_NANOS);
            assertTrue(least <= budget, least + " ns in each slice, for " + MANY + " limits");
        } finally {
            done.set(true);
            recording.close();
            names.close();
            await().until(() -> ticking.stream().noneMatch(Thread::isAlive) && !asking.isAlive());
        }
    }

    @Test
    void anIdleLimitTakesTwoKilobytes() {
        for (int i = 0; i < MANY; i++) {
            limits.limiter("idle" + i, new Semaphore(10));
        }
        Registration recording = recorder.record();
        for (int second = 0; second < 310; second++) {
            time.advance(Duration.ofSeconds(1));
            recorder.tick();
        }
        assertEquals(300, recorder.seconds("idle0").size());
        long each = dropped(recording) / MANY;
        System.out.println("recorder: " + each + " bytes for an idle limit");
        assertTrue(each <= 2_000, () -> each + " bytes for an idle limit");
    }

    /** 15,000 requests a second, of which one in 14 is granted and held for 1 us to 1 ms, and the others are refused. */
    @Test
    void aBusyLimitTakesAHundredKilobytes() {
        long each = busy();
        System.out.println("recorder: " + each + " bytes for a busy limit");
        assertTrue(each <= 100_000, () -> each + " bytes for a busy limit");
    }

    private long busy() {
        int many = 4;
        SplittableRandom random = new SplittableRandom(1);
        List<NamedLimiter> all = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            all.add(limits.limiter("busy" + i, new Semaphore(10)));
        }
        Registration recording = recorder.record();
        play(all, random, 302);
        assertEquals(300, recorder.seconds("busy0").size());
        assertTrue(recorder.load("busy0").requests() > 300 * 14_000);
        return dropped(recording) / many;
    }

    private void play(List<NamedLimiter> all, SplittableRandom random, int seconds) {
        for (int tick = 0; tick < 10 * seconds; tick++) {
            long end = time.read() + 100_000_000;
            for (NamedLimiter limiter : all) {
                for (int i = 0; i < 100; i++) {
                    long held = 1_000L << random.nextInt(10);
                    limiter.run(() -> time.jumpTo(time.read() + held));
                }
                for (int i = 0; i < 1_400; i++) {
                    limiter.tryAcquire(11);
                }
            }
            time.jumpTo(Math.max(time.read(), end));
            recorder.tick();
        }
    }

    private static long dropped(Registration recording) {
        long with = used();
        recording.close();
        return with - used();
    }

    private static long used() {
        Runtime runtime = Runtime.getRuntime();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }
}
