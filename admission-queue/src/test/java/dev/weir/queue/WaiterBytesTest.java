package dev.weir.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.discipline.AdaptiveLifo;
import dev.weir.queue.discipline.CoDel;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.queue.discipline.FairShare;
import dev.weir.queue.discipline.Fifo;
import dev.weir.queue.discipline.Lifo;
import dev.weir.queue.discipline.Priority;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** How many bytes a waiter takes, by discipline: all that is reachable from its queue, its future included. */
class WaiterBytesTest {
    private static final int LENGTH = 1 << 17;
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int AT_MOST = 200;
    private static long before;
    /** More, for each tenant of a fair share. */
    private static final int A_TENANT = 200;
    /** More, for each waiter of a discipline within CoDel that does not keep the order of arrival. */
    private static final int IN_CODEL = 60;

    private static final List<Request> REQUESTS = IntStream.range(0, LENGTH)
            .mapToObj(i -> Request.forKey("tenant-" + i))
            .toList();

    static Stream<Arguments> disciplines() {
        DisciplineSpec priority = new Priority(Duration.ofSeconds(1));
        return Stream.of(
                Arguments.of(new Fifo(), 1, AT_MOST),
                Arguments.of(new Lifo(), 1, AT_MOST),
                Arguments.of(new AdaptiveLifo(HOUR), 1, AT_MOST),
                // EarliestDeadline keeps its waiters in the same order by a comparator
                Arguments.of(priority, 1, AT_MOST),
                Arguments.of(new FairShare(), 1, AT_MOST),
                Arguments.of(new FairShare(), LENGTH / 8, AT_MOST + A_TENANT / 8),
                Arguments.of(new FairShare(), LENGTH, AT_MOST + A_TENANT),
                Arguments.of(new CoDel(HOUR, HOUR), 1, AT_MOST),
                Arguments.of(new CoDel(HOUR, HOUR, new AdaptiveLifo(HOUR)), 1, AT_MOST),
                Arguments.of(new CoDel(HOUR, HOUR, priority), 1, AT_MOST + IN_CODEL),
                Arguments.of(new CoDel(HOUR, HOUR, new FairShare()), 1, AT_MOST + IN_CODEL));
    }

    private static AdmissionQueue full(DisciplineSpec discipline, int tenants) {
        ManagedLimiter limiter = Limiters.of("bytes", new Semaphore(1));
        limiter.tryAcquire();
        QueueSpec spec = QueueSpec.of(LENGTH).by(discipline);
        AdmissionQueue queue = AdmissionQueue.builder("bytes", limiter, spec)
                .executor(Runnable::run)
                .build();
        for (int i = 0; i < LENGTH; i++) {
            assertEquals(
                    false, queue.acquireAsync(REQUESTS.get(i % tenants), HOUR).isDone());
        }
        return queue;
    }

    /** After every fourth collection no dead objects are left. */
    private static long used() {
        for (int i = 0; i < 4; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    @BeforeAll
    static void measureWhatIsThereBefore() {
        full(new Fifo(), 1).close();
        before = used();
    }

    @ParameterizedTest
    @MethodSource("disciplines")
    void S16_aWaiterTakesAtMostWhatItsDisciplineIsSaidToTake(DisciplineSpec discipline, int tenants, int atMost) {
        try (AdmissionQueue queue = full(discipline, tenants)) {
            long bytes = (used() - before) / LENGTH;
            assertEquals(LENGTH, queue.length());
            assertTrue(bytes <= atMost, () -> bytes + " bytes a waiter");
        }
    }
}
