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
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a recording costs. */
@Tag("proof")
class RecorderCostTest {
    /** 5 % of a processor, for each slice of 10 ms. */
    private static final long BUDGET_NANOS = 500_000;

    private static final int MANY = 500;

    /**
     * All limits are asked all the time, and the thread of the recorder is the real one. Up to a half of its time are wakes, which cost the
     * same without any limit. How much that is depends on the machine and on what else it does: the decision on recording has figures,
     * this finds mistakes.
     */
    @Test
    void theThreadTakesAFewHundredthsOfAProcessorFor500Limits() {
        Names names = Names.builder().executor(Runnable::run).build();
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
            assertTrue(least <= BUDGET_NANOS, least + " ns in each slice, for " + MANY + " limits");
        } finally {
            done.set(true);
            recording.close();
            names.close();
            await().until(() -> ticking.stream().noneMatch(Thread::isAlive) && !asking.isAlive());
        }
    }

    /** A limit that is asked 15,000 times a second: one request in 15 is granted and held for 1 us to 1 ms. The last one has hot keys. */
    @ParameterizedTest
    @CsvSource({"idle, 2000", "busy, 100000", "keys, 150000"})
    void aLimitTakesAtMostSoManyBytes(String what, long budget) throws Exception {
        long bytes = inOwnJvm(what);
        System.out.println("recorder: " + bytes + " bytes for a limit: " + what);
        assertTrue(bytes > 0 && bytes <= budget, () -> bytes + " bytes for a limit: " + what);
    }

    private static long inOwnJvm(String what) throws IOException, InterruptedException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classes = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        Process process = new ProcessBuilder(
                        java, "-XX:+UseSerialGC", "-cp", classes, RecordedMemory.class.getName(), what)
                .redirectError(Redirect.DISCARD)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), out);
        return Long.parseLong(out.strip().replaceFirst("(?s).*bytes ", ""));
    }
}
