package dev.weir.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.PriorityShedding;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.algorithms.WarmUp;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Dimensions;
import dev.weir.keyed.Keyed;
import dev.weir.queue.discipline.CoDel;
import dev.weir.queue.discipline.FairShare;
import dev.weir.spi.Gate;
import dev.weir.spi.Registration;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Seed;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Subqueues that are left out while their key has no permits: none is left out for too long, or tried in vain. */
@Tag("property")
class SuspendedSubqueuesTest {
    private static final Duration TEN = Duration.ofMillis(10);
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final long MILLI = 1_000_000;
    private static final int LIVES = 150;
    private static final int MAX_KEYS = 100;
    private static final List<String> TENANTS = List.of("ax", "ay", "bx", "by");

    /** One for all, by the whole key, by a part of it, by no key, and by a key beside a limit for all. */
    static List<StrategySpec> limits() {
        return List.of(
                new Semaphore(5),
                TokenBucket.of(5, TEN),
                Keyed.of(new Semaphore(3), MAX_KEYS),
                Keyed.of(new Semaphore(3), MAX_KEYS).by("group"),
                Keyed.of(TokenBucket.of(3, TEN), MAX_KEYS),
                Keyed.of(SlidingWindow.of(3, TEN), MAX_KEYS).by("user"),
                Keyed.of(AllOf.of(new Semaphore(3), TokenBucket.of(3, TEN)), MAX_KEYS),
                Keyed.of(new PriorityShedding(4, List.of(50)), MAX_KEYS),
                Keyed.of(WarmUp.of(new Semaphore(3), Duration.ofMillis(50)), MAX_KEYS),
                Keyed.of(WarmUp.of(TokenBucket.of(3, TEN), Duration.ofMillis(50)), MAX_KEYS),
                AllOf.of(Keyed.of(new Semaphore(3), MAX_KEYS), new Semaphore(5)),
                AllOf.of(Keyed.of(TokenBucket.of(3, TEN), MAX_KEYS), Keyed.of(new Semaphore(3), MAX_KEYS)),
                AllOf.of(new Semaphore(4), new Semaphore(5)));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void S3_noTenantWaitsBesidePermitsThatItCouldHave(StrategySpec limit) {
        Seed.forAll(LIVES, random -> new Course(random, List.of(limit)).run());
    }

    @Test
    void S3_noTenantWaitsBesidePermitsThroughAnyChangeOfTheLimit() {
        Seed.forAll(4 * LIVES, random -> new Course(random, limits()).run());
    }

    /** A gate that counts by a key of its own, its attempts, and what happens before the next rejection arrives. */
    private record Mapped(
            ManagedLimiter limiter,
            UnaryOperator<Request> counted,
            AtomicInteger attempts,
            AtomicReference<@Nullable Runnable> meanwhile)
            implements Gate {
        Mapped(ManagedLimiter limiter, UnaryOperator<Request> counted) {
            this(limiter, counted, new AtomicInteger(), new AtomicReference<>());
        }

        @Override
        public Decision attempt(Request request) {
            attempts.incrementAndGet();
            Decision decision = limiter.attempt(counted.apply(request));
            Runnable event = decision instanceof Rejection ? meanwhile.getAndSet(null) : null;
            if (event != null) {
                event.run();
            }
            return decision;
        }

        @Override
        public Registration whenCapacity(Runnable wakeUp) {
            return limiter.whenCapacity(wakeUp);
        }

        @Override
        public Registration whenReleased(Consumer<@Nullable Request> wakeUp) {
            return limiter.whenReleased(wakeUp);
        }

        @Override
        public @Nullable Object countedBy(Request request) {
            return limiter.countedBy(counted.apply(request));
        }

        @Override
        public Predicate<Request> grantable() {
            return request -> limiter.grantable().test(counted.apply(request));
        }

        @Override
        public boolean refusesAlike() {
            return limiter.refusesAlike();
        }
    }

    private static Request bySecond(Request request) {
        Dimensions key = (Dimensions) Objects.requireNonNull(request.key());
        return request.withKey(Dimensions.of("group", key.value("user"), "user", key.value("user")));
    }

    private static Request byPriority(Request request) {
        String level = "level " + request.priority();
        return request.withKey(Dimensions.of("group", level, "user", level));
    }

    /** One queue, and what happens to it at random. */
    private static final class Course {
        private final SplittableRandom random;
        private final List<StrategySpec> limits;
        private final VirtualTime time;
        private final ManagedLimiter limiter;
        private final Mapped gate;
        private final AdmissionQueue queue;
        private final List<Asked> waiting = new ArrayList<>();
        private final List<Permit> held = new ArrayList<>();

        private record Asked(Request request, CompletableFuture<Decision> future) {}

        Course(SplittableRandom random, List<StrategySpec> limits) {
            this.random = random;
            this.limits = limits;
            time = new VirtualTime(Seed.oneOf(random, 1L, Long.MAX_VALUE - 20 * MILLI));
            limiter = Limiters.builder("limiter", Seed.oneOf(random, limits.toArray(StrategySpec[]::new)))
                    .ticker(time)
                    .build();
            List<UnaryOperator<Request>> counted = List.of(
                    UnaryOperator.identity(), SuspendedSubqueuesTest::bySecond, SuspendedSubqueuesTest::byPriority);
            gate = new Mapped(limiter, counted.get(random.nextInt(counted.size())));
            queue = AdmissionQueue.builder("limiter", gate, QueueSpec.of(12).by(new FairShare()))
                    .ticker(time)
                    .executor(Runnable::run)
                    .build();
        }

        void run() {
            for (int step = 0; step < 80; step++) {
                gate.meanwhile.set(random.nextInt(4) == 0 ? this::event : null);
                step();
                gate.meanwhile.set(null);
                collect();
                assertNoneStranded();
            }
            limiter.reconfigure(new Semaphore(10));
            limiter.dial().setLimit(20);
            for (int ms = 0; ms < 5_000 && !waiting.isEmpty(); ms++) {
                release(held.size());
                time.advance(MILLI);
                collect();
            }
            assertTrue(waiting.isEmpty(), () -> "for ever: " + waiting + " before " + limiter.spec());
            assertEquals(0, queue.snapshot().failures());
        }

        private void step() {
            switch (random.nextInt(12)) {
                case 0, 1, 2, 3 -> {
                    Request request = request();
                    Duration wait = random.nextInt(3) == 0 ? Duration.ofMillis(random.nextInt(30)) : EVER;
                    waiting.add(new Asked(request, queue.acquireAsync(request, wait)));
                }
                case 4, 5 -> {
                    if (gate.attempt(request()) instanceof Permit permit) {
                        held.add(permit);
                    }
                }
                case 6, 7, 8, 9 -> event();
                default -> time.advance(random.nextLong(8 * MILLI));
            }
        }

        private void event() {
            switch (random.nextInt(4)) {
                case 0, 1 -> release(1);
                case 2 -> {
                    if (!waiting.isEmpty()) {
                        waiting.get(random.nextInt(waiting.size())).future.cancel(true);
                    }
                }
                default -> change();
            }
        }

        private void change() {
            switch (random.nextInt(4)) {
                case 0 -> limiter.dial().setLimit(random.nextInt(1, 6));
                case 1 -> limiter.reconfigure(Seed.oneOf(random, limits.toArray(StrategySpec[]::new)));
                case 2 -> {
                    if (random.nextInt(3) == 0) {
                        QueueSpec fair = QueueSpec.of(12).by(new FairShare());
                        queue.reconfigure(fair.by(new CoDel(EVER_OF_CODEL, EVER_OF_CODEL, new FairShare())));
                        queue.reconfigure(Seed.oneOf(random, fair, fair.holding(40)));
                    }
                }
                default -> {}
            }
        }

        private static final Duration EVER_OF_CODEL = Duration.ofDays(1);

        private Request request() {
            String tenant = Seed.oneOf(random, TENANTS.toArray(String[]::new));
            Dimensions key = Dimensions.of("group", tenant.substring(0, 1), "user", tenant.substring(1));
            return new Request(random.nextInt(1, 4), random.nextInt(3), key, Request.NO_DEADLINE);
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

        /* Of each tenant the first that the limit has room for at all. */
        private void assertNoneStranded() {
            waiting.stream().map(asked -> asked.request.key()).distinct().forEach(tenant -> {
                for (Asked asked : waiting) {
                    if (Objects.equals(asked.request.key(), tenant)) {
                        Decision decision = gate.attempt(asked.request);
                        assertTrue(
                                decision instanceof Rejection,
                                () -> limiter.spec() + " has permits for " + asked + " of " + waiting);
                        if (((Rejection) decision).reason() != Reason.NEVER) {
                            return;
                        }
                    }
                }
            });
        }
    }

    /** Tenants that wait for a permit each, of which all are held; and one more permit of a tenant without waiters. */
    private static final class Tenants {
        final ManagedLimiter limiter;
        final Mapped gate;
        final AdmissionQueue queue;
        final List<Permit> held = new ArrayList<>();
        final List<CompletableFuture<Decision>> waiting = new ArrayList<>();

        Tenants(StrategySpec limit, int count) {
            limiter = Limiters.of("limiter", limit);
            gate = new Mapped(limiter, UnaryOperator.identity());
            queue = AdmissionQueue.builder(
                            "limiter", gate, QueueSpec.of(10 * count).by(new FairShare()))
                    .executor(Runnable::run)
                    .build();
            IntStream.rangeClosed(0, count)
                    .forEach(i -> held.add((Permit) limiter.tryAcquire(Request.forKey("tenant " + i))));
            IntStream.range(0, count)
                    .forEach(i -> waiting.add(queue.acquireAsync(Request.forKey("tenant " + i), EVER)));
            limiter.enforce(1);
            gate.attempts.set(0);
        }
    }

    @Test
    void aReleaseTriesTheTenantOfThePermitAlone() {
        Tenants tenants = new Tenants(Keyed.of(new Semaphore(1), MAX_KEYS), 50);
        for (int i = 0; i < 50; i++) {
            tenants.held.get(i).close();
            assertTrue(tenants.waiting.get(i).isDone());
        }
        assertEquals(50, tenants.gate.attempts.get());
        tenants.held.get(50).close();
        assertEquals(50, tenants.gate.attempts.get(), "of a tenant for which nothing waits");
    }

    @Test
    void anyChangeOfTheLimitTriesAllTenantsOnce() {
        Tenants tenants = new Tenants(Keyed.of(new Semaphore(1), MAX_KEYS), 50);
        tenants.limiter.reconfigure(Keyed.of(new Semaphore(2), MAX_KEYS));
        tenants.waiting.forEach(future -> assertTrue(future.isDone()));
        assertEquals(50, tenants.gate.attempts.get());
    }

    @Test
    void beforeALimitForAllBesideOneByKeyEveryReleaseTriesAllTenants() {
        StrategySpec both = AllOf.of(Keyed.of(new Semaphore(1), MAX_KEYS), new Semaphore(51));
        Tenants tenants = new Tenants(both, 50);
        tenants.held.get(50).close();
        assertEquals(50, tenants.gate.attempts.get());
        tenants.held.get(7).close();
        assertTrue(tenants.waiting.get(7).isDone());
    }

    /* The limit is raised while the dispatcher tries "eight", and is told that this is too much. Then it leaves the tenant out for
    "one", and learns in its next round that "eight" fits. */
    @Test
    void S3_aTenantIsTriedForTheOneThatFitsARaisedLimit() {
        ManagedLimiter limiter = Limiters.of("limiter", Keyed.of(new Semaphore(10), MAX_KEYS));
        Mapped gate = new Mapped(limiter, request -> request.withKey(request.priority()));
        AdmissionQueue queue = AdmissionQueue.builder(
                        "limiter", gate, QueueSpec.of(10).by(new FairShare()))
                .executor(Runnable::run)
                .build();
        Request ten = new Request(10, 2, "a", Request.NO_DEADLINE);
        assertInstanceOf(Permit.class, gate.attempt(ten.withPriority(1)));
        Permit held = assertInstanceOf(Permit.class, gate.attempt(ten));
        CompletableFuture<Decision> eight = queue.acquireAsync(ten.withPermits(8), EVER);
        CompletableFuture<Decision> one = queue.acquireAsync(ten.withPriority(1).withPermits(1), EVER);
        limiter.dial().setLimit(4);
        gate.meanwhile.set(() -> limiter.dial().setLimit(10));
        limiter.enforce(1);
        held.close();
        assertInstanceOf(Permit.class, eight.getNow(null));
        assertFalse(one.isDone());
    }
}
