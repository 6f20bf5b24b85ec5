package dev.weir.store;

import static dev.weir.store.StoreModel.MILLI;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.testkit.CpuBudget;
import dev.weir.testkit.Seed;
import dev.weir.testkit.Stress;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Instances that share a limit, under faults: bounds, conservation, and an answer in time for every request. */
@Tag("property")
@Tag("proof")
class StoreRateLimiterPropertiesTest {
    private static final CpuBudget BUDGET = Stress.seconds(0.4, 8, 80);
    private static final int SEEDS = 32;
    private static final Mode BATCHED = new Mode.Batched(20, Duration.ofMillis(200));

    /** A second of random traffic, with a fault somewhere now and then; returns when all is quiet. */
    private static StoreModel run(SplittableRandom random, Mode mode, boolean local, UnaryOperator<StoreLimit> twin) {
        int instances = 1 + random.nextInt(4);
        long rate = 100 + random.nextInt(2_000);
        long burst = 20 + random.nextInt(200);
        StoreModel model = new StoreModel(random.split(), instances, rate, burst, mode, local, twin);
        model.store.refundsAll = random.nextBoolean();
        for (int step = 0; step < 1_000; step++) {
            long wait = random.nextInt(3) == 0 ? random.nextInt(100) * MILLI : 0;
            long permits = random.nextInt(8) == 0 ? 1 + random.nextInt(10) : 1;
            model.ask(random.nextInt(instances), permits, wait, null);
            if (random.nextInt(30) == 0) {
                model.cancelOne();
            }
            if (random.nextInt(25) == 0) {
                fault(random, model.networks.get(random.nextInt(instances)));
            }
            if (random.nextInt(3) == 0) {
                model.pass(random.nextInt(30) * MILLI / 10);
            }
        }
        int unanswered = model.quiet();
        assertEquals(0, unanswered, "requests without an answer");
        assertEquals(0, model.late, "requests answered too late");
        return model;
    }

    private static void fault(SplittableRandom random, TestNetwork network) {
        switch (random.nextInt(10)) {
            case 0 -> network.cut = true;
            case 1 -> network.answersLost = true;
            case 2 -> network.failing = true;
            case 3 -> network.throwing = true;
            case 4 -> network.back = 30 * MILLI;
            case 5 -> network.there = 15 * MILLI;
            default -> network.heal();
        }
    }

    private static void conserved(StoreModel model) {
        assertTrue(isConserved(model), () -> "surplus " + model.surplus() + ", in doubt " + model.inDoubt());
    }

    /** What has refilled before an answer came is not refunded, so the store may have counted more. */
    private static boolean isConserved(StoreModel model) {
        long doubt = model.inDoubt();
        return model.surplus() >= -doubt && (model.surplus() <= doubt || !model.store.refundsAll);
    }

    @Test
    void D1_exactAdmitsNoMoreThanTheLimitWhateverFails() {
        BUDGET.forAll(SEEDS, seed -> {
            StoreModel model = run(seed, Mode.exact(), false, limit -> limit);
            assertTrue(model.worst <= 0, () -> "too many: " + model.worst);
            conserved(model);
        });
    }

    @Test
    void D1_batchedAdmitsNoMoreThanTheLimitWhateverFails() {
        BUDGET.forAll(SEEDS, seed -> {
            StoreModel model = run(seed, BATCHED, false, limit -> limit);
            assertTrue(model.worst <= 0, () -> "too many: " + model.worst);
            conserved(model);
        });
    }

    /** What the store has not counted is never more than remained by the last answer: a burst for each instance. */
    @Test
    void D1_verdictAdmitsNoMoreThanABurstForEachInstanceBesideTheLimit() {
        BUDGET.forAll(SEEDS, seed -> {
            StoreModel model = run(seed, Mode.verdict(), false, limit -> limit);
            long slack = model.limiters.size() * model.burst();
            assertTrue(model.worst <= slack, () -> "too many: " + model.worst + " > " + slack);
            conserved(model);
        });
    }

    /** Four instances that take permits in advance, keep them, and then use them all at once. */
    @Test
    void D1_batchedAdmitsNoMoreInAWindowThanTheUnusedPermitsOfAllInstances() {
        BUDGET.forAll(SEEDS / 4, random -> {
            StoreModel model = new StoreModel(random.split(), 4, 1_000, 100, BATCHED, false);
            for (int round = 0; round < 20; round++) {
                for (int step = 0; step < 60; step++) {
                    model.ask(random.nextInt(4), 1, 0, null);
                    model.pass(step % 4 == 0 ? MILLI : 0);
                }
                model.pass((100 + random.nextInt(80)) * MILLI);
                for (int step = 0; step < 400; step++) {
                    model.ask(random.nextInt(4), 1, 0, null);
                    model.pass(step % 16 == 0 ? MILLI / 10 : 0);
                }
                model.pass(random.nextInt(300) * MILLI);
            }
            long bound = 100 + 4 * 20 + 1;
            assertTrue(model.most <= bound, () -> "too many in a window: " + model.most + " > " + bound);
            assertTrue(model.most > 100, () -> "the bound is not approached: " + model.most);
        });
    }

    /** Without faults, under twice the load, nothing is left: but for what is on its way, and what is held unused. */
    @Test
    void D1_everyModeUsesTheWholeLimit() {
        BUDGET.forAll(SEEDS / 4, random -> {
            for (Mode mode : new Mode[] {Mode.exact(), Mode.verdict(), BATCHED}) {
                StoreModel model = new StoreModel(random.split(), 4, 1_000, 100, mode, false);
                long start = model.time.read();
                for (int step = 0; step < 2_000; step++) {
                    model.ask(random.nextInt(4), 1, 0, null);
                    model.pass(MILLI / 2);
                }
                model.pass(MILLI);
                long possible = 100 + (model.time.read() - start) * 1_000 / (1_000 * MILLI);
                long held = mode instanceof Mode.Batched batched ? 4 * batched.maxUnused() : 0;
                long least = possible * 99 / 100 - held - 2;
                assertTrue(model.used() >= least, () -> mode + " used " + model.used() + " of " + possible);
            }
        });
    }

    /** Beside the limit, each instance that is cut off has its part: its burst once, and its rate meanwhile. */
    @Test
    void D7_localAdmitsThePartsOfInstancesThatAreCutOff() {
        BUDGET.forAll(SEEDS, random -> {
            StoreModel model = run(random, Mode.exact(), true, limit -> limit);
            long slack = model.burst() + model.partsWhileCutOff();
            assertTrue(model.worst <= slack, () -> "too many: " + model.worst + " > " + slack);
        });
    }

    /** If nothing refills meanwhile, the store has counted every permit in the end. */
    @Test
    void D7_whatWasGrantedLocallyIsCounted() {
        BUDGET.forAll(SEEDS, random -> {
            StoreModel model = new StoreModel(random.split(), 3, 100, 10_000, Mode.exact(), true);
            model.store.refundsAll = true;
            for (int step = 0; step < 1_000; step++) {
                model.ask(random.nextInt(3), 1 + random.nextInt(3), 0, "key " + random.nextInt(4));
                if (random.nextInt(30) == 0) {
                    fault(random, model.networks.get(random.nextInt(3)));
                }
                model.pass(MILLI / 2);
            }
            int unanswered = model.quiet();
            assertEquals(0, unanswered);
            long doubt = model.inDoubt() + model.cancelledHere();
            assertTrue(Math.abs(model.surplus()) <= doubt, () -> "surplus " + model.surplus() + ", in doubt " + doubt);
        });
    }

    private static long flapped(SplittableRandom random, boolean persists) {
        StoreModel model = new StoreModel(random.split(), 4, 100, 100, Mode.exact(), true);
        for (int half = 0; half < 200; half++) {
            boolean isDown = half % 2 == 1;
            for (int i = 0; i < 4; i++) {
                model.networks.get(i).failing = isDown;
                if (isDown && !persists) {
                    model.restart(i);
                }
            }
            for (int step = 0; step < 50; step++) {
                for (int i = 0; i < 4; i++) {
                    model.ask(i, 1, 0, null);
                }
                model.pass(MILLI);
            }
        }
        return model.worst;
    }

    /** At 10 Hz for 10 s: beside the limit at most the bursts of the parts, which are one burst together. */
    @Test
    void D7_aStoreThatComesAndGoesEarnsOneBurst() {
        BUDGET.forAll(SEEDS / 10, random -> {
            long worst = flapped(random, true);
            assertTrue(worst <= 100, () -> "too many: " + worst);
        });
    }

    @Test
    void D7_brokenTwin_aPartThatStartsFullAfterEachOutageEarnsOneEachTime() {
        Seed.forAll(1, random -> assertTrue(flapped(random, false) > 1_000));
    }

    @Test
    void D4_brokenTwin_aStoreClientThatRepeatsACommandCountsTwice() {
        assertTrue(isCaught(Repeating::new));
    }

    @Test
    void S6_brokenTwin_aRefundThatIsLostIsNoticed() {
        assertTrue(isCaught(LosingRefunds::new));
    }

    private static boolean isCaught(UnaryOperator<StoreLimit> twin) {
        for (int seed = 0; seed < 20; seed++) {
            StoreModel model = run(new SplittableRandom(seed), Mode.exact(), false, twin);
            if (!isConserved(model)) {
                return true;
            }
        }
        return false;
    }

    /** Sends some commands again, like a client that takes a slow answer for a lost one: the store counts twice. */
    private record Repeating(StoreLimit limit) implements StoreLimit {
        @Override
        public CompletionStage<Reply> acquire(@Nullable Object key, long permits) {
            CompletionStage<Reply> first = limit.acquire(key, permits);
            return first.thenCompose(reply -> reply.granted() > 0 && reply.remaining() % 8 == 0
                    ? limit.acquire(key, permits)
                    : CompletableFuture.completedFuture(reply));
        }

        @Override
        public CompletionStage<Reply> acquireUpTo(@Nullable Object key, long permits) {
            return limit.acquireUpTo(key, permits);
        }

        @Override
        public CompletionStage<Reply> charge(@Nullable Object key, long permits) {
            return limit.charge(key, permits);
        }

        @Override
        public CompletionStage<?> ping() {
            return limit.ping();
        }
    }

    /** Counts what is granted, and ignores what is refunded. */
    private record LosingRefunds(StoreLimit limit) implements StoreLimit {
        @Override
        public CompletionStage<Reply> acquire(@Nullable Object key, long permits) {
            return limit.acquire(key, permits);
        }

        @Override
        public CompletionStage<Reply> acquireUpTo(@Nullable Object key, long permits) {
            return limit.acquireUpTo(key, permits);
        }

        @Override
        public CompletionStage<Reply> charge(@Nullable Object key, long permits) {
            return limit.charge(key, Math.max(0, permits));
        }

        @Override
        public CompletionStage<?> ping() {
            return limit.ping();
        }
    }
}
