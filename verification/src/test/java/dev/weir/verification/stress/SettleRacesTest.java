package dev.weir.verification.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Gcra;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.Settled;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Stress;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Costs are settled and charged by many threads while the limits change. The clock stands still, so all that was spent is known. */
@Tag("proof")
class SettleRacesTest {
    private static final int THREADS = 4;
    private static final int COSTS = Stress.of(20_000, 300_000, 5_000_000);
    private static final long PLENTY = 1L << 40;
    private static final Duration DAY = Duration.ofDays(1);
    private static final StrategySpec BUCKET = Settled.of(TokenBucket.of(PLENTY, DAY));

    /** What was spent, by those who spent it. */
    private static final class Spenders {
        final VirtualTime time = new VirtualTime();
        final ManagedLimiter limiter;
        final AtomicLong spent = new AtomicLong();
        final AtomicLong settled = new AtomicLong();
        final AtomicBoolean isOver = new AtomicBoolean();
        private final AtomicReference<Permit> shared = new AtomicReference<>();

        Spenders(StrategySpec first) {
            limiter = Limiters.builder("spenders", first).ticker(time).build();
        }

        private static Request costs(long cost) {
            return Request.forKey("k").settled(cost).refundable();
        }

        private void settle(Permit permit, long estimate, long actual) {
            if (permit.settle(actual)) {
                spent.addAndGet(actual - estimate);
                settled.incrementAndGet();
            }
        }

        /* Every permit has the same estimate, so that another thread can settle it too. */
        private void spend(SplittableRandom random) {
            long estimate = 10;
            if (random.nextInt(8) == 0) {
                assertTrue(limiter.charge(costs(3)));
                spent.addAndGet(3);
            }
            Decision decision = limiter.tryAcquire(costs(estimate));
            Permit permit = assertInstanceOf(Permit.class, decision, () -> decision + " with " + limiter.snapshot());
            spent.addAndGet(estimate);
            Permit other = shared.getAndSet(permit);
            if (other != null) {
                settle(other, estimate, random.nextInt(20));
            }
            if (random.nextBoolean()) {
                settle(permit, estimate, random.nextInt(20));
            }
            permit.release(Outcome.SUCCESS);
        }

        private void spendAll(int thread) {
            SplittableRandom random = new SplittableRandom(thread);
            try {
                for (int i = 0; i < COSTS && !isOver.get(); i++) {
                    spend(random);
                }
            } finally {
                isOver.set(true);
            }
        }

        private void changeAll(Consumer<Integer> change) {
            for (int i = 0; !isOver.get(); i++) {
                change.accept(i);
            }
        }

        /** Runs until one of the threads that spend is done. */
        void race(Consumer<Integer> change) throws Exception {
            ExecutorService threads = Executors.newFixedThreadPool(THREADS + 1);
            try {
                List<Future<?>> all = new ArrayList<>();
                all.add(threads.submit(() -> changeAll(change)));
                for (int i = 0; i < THREADS; i++) {
                    int thread = i;
                    all.add(threads.submit(() -> spendAll(thread)));
                }
                for (Future<?> one : all) {
                    one.get();
                }
            } finally {
                threads.shutdownNow();
            }
            assertTrue(settled.get() > 0);
            assertEquals(0, limiter.counts().failures());
            assertEquals(0, limiter.inFlight());
        }

        long left() {
            return limiter.quota(costs(1)).remaining();
        }
    }

    /** A rate by cost is the same object through all of these, so nothing is lost and nothing goes back twice. */
    @Test
    void W5_whatIsSettledIsExactWhileLimitsAreSetAndAlgorithmsChange() throws Exception {
        List<StrategySpec> specs = List.of(
                BUCKET,
                Settled.of(TokenBucket.of(PLENTY, DAY.dividedBy(2))),
                Settled.of(Gcra.of(PLENTY, Duration.ofNanos(PLENTY))).once());
        Spenders spenders = new Spenders(BUCKET);
        spenders.race(i -> {
            if (i % 3 == 0) {
                spenders.limiter.reconfigure(specs.get(i / 3 % specs.size()));
            } else {
                spenders.limiter.dial().setLimit(PLENTY + i % 5);
            }
        });
        spenders.limiter.reconfigure(BUCKET);
        assertEquals(PLENTY - spenders.spent.get(), spenders.left());
    }

    /* A request that meets a change is asked again, and may have been counted by what stays in force: never too little. */
    @Test
    void W5_noCostIsForgottenWhileOthersStandBesideIt() throws Exception {
        StrategySpec other = Settled.of(TokenBucket.of(PLENTY, DAY.dividedBy(3)));
        List<StrategySpec> specs =
                List.of(BUCKET, AllOf.of(BUCKET, new Semaphore(1_000)), AllOf.of(other, TokenBucket.of(PLENTY, DAY)));
        Spenders spenders = new Spenders(BUCKET);
        spenders.race(i -> spenders.limiter.reconfigure(specs.get(i % specs.size())));
        spenders.limiter.reconfigure(BUCKET);
        assertTrue(
                spenders.left() <= PLENTY - spenders.spent.get(),
                () -> spenders.left() + " left, " + spenders.spent + " spent of " + PLENTY);
    }

    @Test
    void K1_noCostIsForgottenWhileItsKeyIsEvicted() throws Exception {
        StrategySpec keyed = Keyed.of(BUCKET, 1).withDebtCells(1 << 10);
        Spenders spenders = new Spenders(keyed);
        spenders.race(i -> {
            if (i % 7 == 0) {
                spenders.limiter.dial().setLimit(PLENTY + i % 2);
            } else if (spenders.limiter.tryAcquire(Request.forKey("other" + i % 100)) instanceof Permit permit) {
                permit.close();
            }
        });
        assertTrue(
                spenders.left() <= PLENTY + 1 - spenders.spent.get(),
                () -> spenders.left() + " left, " + spenders.spent + " spent of " + PLENTY);
    }
}
