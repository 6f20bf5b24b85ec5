package dev.weir.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Gcra;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.algorithms.WarmUp;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.queue.discipline.FairShare;
import dev.weir.queue.discipline.Fifo;
import dev.weir.queue.discipline.Priority;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** No request is left waiting before a limiter that would grant the request, or never will. */
class StrandedWaitersTest {
    private static final Duration TEN = Duration.ofMillis(10);
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final long MILLI = 1_000_000;
    private static final int LIVES = 150;

    static List<StrategySpec> rates() {
        return List.of(
                TokenBucket.of(3, TEN),
                SlidingLog.of(3, TEN),
                SlidingWindow.of(3, TEN),
                FixedWindow.of(3, TEN),
                new FirstHitQuota(3, TEN),
                new Gcra(3, TEN, Duration.ofMillis(7)),
                new LeakyBucket(3, TEN, 3),
                new Pacer(3, TEN, 3));
    }

    static Stream<StrategySpec> limits() {
        return Stream.of(
                        rates().stream(),
                        rates().stream().map(rate -> AllOf.of(new Semaphore(4), rate)),
                        rates().stream().map(rate -> Keyed.of(rate, 10)),
                        rates().stream().map(rate -> AllOf.of(rate, Keyed.of(TokenBucket.of(3, TEN), 10))),
                        Stream.of(
                                new Semaphore(3),
                                Keyed.of(new Semaphore(3), 10),
                                WarmUp.of(TokenBucket.of(3, TEN), Duration.ofMillis(50)),
                                WarmUp.of(new Semaphore(3), Duration.ofMillis(50))))
                .flatMap(specs -> specs);
    }

    @ParameterizedTest
    @MethodSource("rates")
    void S3_aWaiterThatIsLeftOutAfterItsRejectionIsGrantedAfterTheHintedWait(StrategySpec rate) {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = Limiters.builder("limiter", rate).ticker(time).build();
        AdmissionQueue queue = AdmissionQueue.builder(
                        "limiter", limiter, QueueSpec.of(10).by(new FairShare()))
                .executor(Runnable::run)
                .build();
        limiter.tryAcquire(2);
        CompletableFuture<Decision> two = queue.acquireAsync(new Request(2, 0, "a", Request.NO_DEADLINE), EVER);
        CompletableFuture<Decision> one = queue.acquireAsync(new Request(1, 0, "b", Request.NO_DEADLINE), EVER);
        time.advance(TEN.multipliedBy(3));
        assertInstanceOf(Permit.class, one.getNow(null));
        assertInstanceOf(Permit.class, two.getNow(null));
    }

    @Test
    void S3_aWaiterBehindOneThatWasLeftOutIsTriedWhenThatOneLeaves() {
        ManagedLimiter limiter = Limiters.of("limiter", new Semaphore(3));
        AdmissionQueue queue = AdmissionQueue.builder(
                        "limiter", limiter, QueueSpec.of(10).by(new FairShare()))
                .executor(Runnable::run)
                .build();
        limiter.tryAcquire(2);
        queue.acquireAsync(new Request(2, 0, "a", Request.NO_DEADLINE), EVER);
        CompletableFuture<Decision> passedOver = queue.acquireAsync(new Request(2, 0, "b", Request.NO_DEADLINE), EVER);
        CompletableFuture<Decision> behind = queue.acquireAsync(new Request(1, 0, "b", Request.NO_DEADLINE), EVER);
        passedOver.cancel(true);
        assertInstanceOf(Permit.class, behind.getNow(null));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void S3_theNextIsGrantedAsSoonAsTheLimiterAloneWouldGrantIt(StrategySpec limit) {
        for (int seed = 0; seed < LIVES; seed++) {
            new Course(limit, seed).run();
        }
    }

    /** One queue, and what happens to it at random. */
    private static final class Course {
        private final Random random;
        private final String name;
        private final VirtualTime time;
        private final ManagedLimiter limiter;
        private final QueueSpec spec;
        private final AdmissionQueue queue;
        private final List<Asked> waiting = new ArrayList<>();
        private final List<Permit> held = new ArrayList<>();

        private record Asked(Request request, long since, CompletableFuture<Decision> future) {}

        Course(StrategySpec limit, int seed) {
            random = new Random(seed);
            time = new VirtualTime(List.of(1L, Long.MAX_VALUE - 20 * MILLI).get(random.nextInt(2)));
            limiter = Limiters.builder("limiter", limit).ticker(time).build();
            DisciplineSpec discipline =
                    List.of(new Fifo(), new FairShare(), new Priority(TEN)).get(random.nextInt(3));
            QueueSpec fair = QueueSpec.of(12).by(discipline);
            spec = random.nextInt(4) == 0 ? fair.unfair(IntervalFunction.of(Duration.ofMillis(7))) : fair;
            queue = AdmissionQueue.builder("limiter", limiter, spec)
                    .executor(Runnable::run)
                    .build();
            name = limit + " behind " + spec + ", seed " + seed;
        }

        void run() {
            for (int step = 0; step < 60; step++) {
                step();
                collect();
                stranded().ifPresent(requested -> {
                    throw new AssertionError(name + " is idle, and keeps waiting " + requested + " of " + waiting);
                });
            }
            for (int ms = 0; ms < 5_000 && !waiting.isEmpty(); ms++) {
                release(held.size());
                time.advance(MILLI);
                collect();
            }
            assertTrue(waiting.isEmpty(), () -> name + " keeps waiting for ever " + waiting);
            assertEquals(0, queue.snapshot().failures());
        }

        private void step() {
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> {
                    Request request = request();
                    Duration wait = random.nextInt(3) == 0 ? Duration.ofMillis(random.nextInt(30)) : EVER;
                    waiting.add(new Asked(request, time.read(), queue.acquireAsync(request, wait)));
                }
                case 3 -> {
                    if (limiter.tryAcquire(request()) instanceof Permit permit) {
                        held.add(permit);
                    }
                }
                case 4 -> release(1);
                case 5 -> {
                    if (!waiting.isEmpty() && random.nextInt(3) == 0) {
                        waiting.get(random.nextInt(waiting.size())).future.cancel(true);
                    }
                }
                default -> time.advance(random.nextLong(8 * MILLI));
            }
        }

        private Request request() {
            String key = List.of("a", "b", "c").get(random.nextInt(3));
            long permits = random.nextInt(20) == 0 ? 20 : 1 + random.nextInt(3);
            return new Request(permits, random.nextInt(3), key, Request.NO_DEADLINE);
        }

        private void release(int count) {
            for (int i = 0; i < count && !held.isEmpty(); i++) {
                Outcome outcome = random.nextInt(4) == 0 ? Outcome.CANCELLED : Outcome.SUCCESS;
                held.remove(random.nextInt(held.size())).release(outcome);
            }
        }

        private void collect() {
            for (Asked requested : List.copyOf(waiting)) {
                if (requested.future.isDone()) {
                    waiting.remove(requested);
                    if (!requested.future.isCancelled() && requested.future.join() instanceof Permit permit) {
                        held.add(permit);
                    }
                }
            }
        }

        /** One that the limiter would grant now. An unfair queue tries at intervals, so only its end shows. */
        private Optional<Asked> stranded() {
            return spec.isFair()
                    ? next().filter(requested -> limiter.attempt(requested.request) instanceof Permit)
                            .findFirst()
                    : Optional.empty();
        }

        private Stream<Asked> next() {
            if (spec.discipline() instanceof FairShare) {
                return Stream.of("a", "b", "c")
                        .flatMap(key -> waiting.stream()
                                .filter(requested -> Objects.equals(requested.request.key(), key))
                                .limit(1));
            }
            return spec.discipline() instanceof Priority
                    ? waiting.stream().min(this::byImportance).stream()
                    : waiting.stream().limit(1);
        }

        private int byImportance(Asked one, Asked other) {
            long levels = one.request.priority() - other.request.priority();
            return Long.compare(levels * TEN.toNanos() + (one.since - other.since), 0);
        }
    }
}
