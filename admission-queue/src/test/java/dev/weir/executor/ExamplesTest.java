package dev.weir.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.queue.discipline.AdaptiveLifo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The examples in the Javadoc of the entry types: they run, and are the same as here. */
class ExamplesTest {
    private String load() {
        return "report";
    }

    @Test
    void admissionQueue() throws Exception {
        // region AdmissionQueue
        ManagedLimiter limiter = Limiters.of("db", new Semaphore(10));
        QueueSpec spec = QueueSpec.of(100).by(new AdaptiveLifo(Duration.ofMillis(100)));
        AdmissionQueue queue = AdmissionQueue.before(limiter, spec);

        String report = queue.call(Request.ONE, Duration.ofMillis(500), () -> load());
        // end
        assertEquals("report", report);
        assertEquals(0, limiter.snapshot().inFlight());
    }

    @Test
    void limitedExecutor() throws Exception {
        // region LimitedExecutor
        ExecutorService pool = Executors.newCachedThreadPool();
        ManagedLimiter limiter = Limiters.of("reports", new Semaphore(2));
        AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(50));
        LimitedExecutor executor = LimitedExecutor.builder(pool, queue)
                .maxWait(Duration.ofSeconds(5))
                .rejecting(RejectionPolicy.abort())
                .owningDelegate()
                .build();

        Future<String> report = executor.submit(() -> load());
        // end
        assertEquals("report", report.get());
        executor.shutdown();
        assertTrue(executor.awaitTermination(2, TimeUnit.MINUTES));
    }

    @ParameterizedTest
    @ValueSource(strings = {"queue/AdmissionQueue", "executor/LimitedExecutor"})
    void theJavadocHasTheSameCode(String type) throws IOException {
        Path here = Path.of("src/test/java/dev/weir/executor/ExamplesTest.java");
        String name = type.substring(type.indexOf('/') + 1);
        String region = between(Files.readString(here), "// region " + name + "\n", "// end");
        String javadoc = Files.readString(Path.of("src/main/java/dev/weir/" + type + ".java"));
        String example = between(javadoc, "<pre>{@code\n", "}</pre>").replaceAll("(?m)^ \\*", "");
        assertEquals(region.strip().replaceAll("(?m)^ +", ""), example.strip().replaceAll("(?m)^ +", ""));
    }

    private static String between(String text, String start, String end) {
        int from = text.indexOf(start) + start.length();
        return text.substring(from, text.indexOf(end, from));
    }
}
