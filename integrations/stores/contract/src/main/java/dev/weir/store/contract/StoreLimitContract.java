package dev.weir.store.contract;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Gcra;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.Settled;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.spi.StrategySpec;
import dev.weir.store.Reply;
import dev.weir.store.StoreLimit;
import dev.weir.store.contract.Specs.Bound;
import dev.weir.store.rates.Ban;
import dev.weir.testkit.Stress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The contract of every store of limits: a test of a store extends this and says how to make a limit there. Answers are compared with slow
 * exact models at the instant that each {@link Reply#at} tells.
 */
@Tag("contract")
public abstract class StoreLimitContract {
    /** A period in which a test does not see a permit refill. */
    private static final Duration LONG = Duration.ofHours(1);

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration SHORT = Duration.ofMillis(80);
    private static final int STEPS = Stress.of(25, 200, 2_000);
    private static final int TOGETHER = 60;

    /** So many answers come within a period of {@link #quick} at least. */
    private static final int ANSWERS = 40;

    private static final String KEY = "k";

    /** For a test of a store. */
    protected StoreLimitContract() {}

    /**
     * A limit. Of a name that was not opened before, nothing is used; those of one name count together, also with another specification.
     * The random names of this class are at most 40 characters long.
     */
    protected abstract StoreLimit open(String name, StrategySpec spec) throws Exception;

    private StoreLimit open(StrategySpec spec) throws Exception {
        return open(newName(), spec);
    }

    private static String newName() {
        return UUID.randomUUID().toString();
    }

    private StoreLimit open(long permits, Duration period, long burst) throws Exception {
        return open(TokenBucket.of(permits, period).withCapacity(burst));
    }

    /** Lets time pass for the store: sleeps, or moves its clock. */
    protected abstract void pass(Duration time) throws Exception;

    /** Waits for an answer. */
    protected <T> T answer(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(2, TimeUnit.MINUTES);
    }

    private Reply acquire(StoreLimit limit, @Nullable Object key, long permits) throws Exception {
        return answer(limit.acquire(key, permits));
    }

    /** Limits of which nothing is left for long, so that a test can wait until it is granted; longer ones on a slow store. */
    private List<StrategySpec> quick() throws Exception {
        Duration period = quickPeriod();
        return List.of(
                TokenBucket.of(10, period),
                LeakyBucket.of(10, period).withBurst(4),
                Gcra.of(10, period),
                Pacer.of(10, period),
                FixedWindow.of(10, period),
                FixedWindow.aligned(10, period),
                new FirstHitQuota(10, period),
                SlidingWindow.of(10, period),
                SlidingLog.of(10, period),
                new Ban(LeakyBucket.of(10, period).withBurst(4), period),
                AllOf.of(TokenBucket.of(10, period), TokenBucket.of(30, period.multipliedBy(4))));
    }

    private Duration quickPeriod() throws Exception {
        StoreLimit limit = open(100, LONG, 100);
        long fastest = Long.MAX_VALUE;
        long last = acquire(limit, KEY, 1).at();
        for (int i = 0; i < 5; i++) {
            long next = acquire(limit, KEY, 1).at();
            fastest = Math.min(fastest, next - last);
            last = next;
        }
        Duration slow = Duration.ofMillis(fastest * ANSWERS / 1_000);
        return slow.compareTo(SHORT) > 0 ? slow : SHORT;
    }

    @Test
    void aRequestTakesAllOrNone() throws Exception {
        StoreLimit limit = open(10, LONG, 10);
        Reply first = acquire(limit, "k", 7);
        Reply refused = acquire(limit, "k", 4);
        Reply second = acquire(limit, "k", 3);
        assertAll(
                () -> assertEquals(7, first.granted()),
                () -> assertEquals(3, first.remaining()),
                () -> assertEquals(0, first.retryAfterNanos()),
                () -> assertEquals(0, refused.granted()),
                () -> assertEquals(3, refused.remaining()),
                () -> assertTrue(refused.retryAfterNanos() > 0, refused::toString),
                () -> assertEquals(3, second.granted()),
                () -> assertEquals(0, second.remaining()));
    }

    @Test
    void anAnswerNamesTheLimitAndWhenItIsUnused() throws Exception {
        Reply reply = acquire(open(10, LONG, 10), "k", 5);
        assertEquals(10, reply.limit());
        long half = LONG.toNanos() / 2;
        assertTrue(reply.resetNanos() <= half + 1_000_000 && reply.resetNanos() > half * 9 / 10, reply::toString);
    }

    @Test
    void aRequestIsGrantedAfterItsRetryTime() throws Exception {
        StoreLimit limit = open(10, SECOND, 10);
        Reply all = acquire(limit, "k", 10);
        assertEquals(10, all.granted());
        isGrantedWhenFree(limit, 5, all.at() + 500_000);
    }

    /** A slow store may be asked so late that the permits are free already. */
    private void isGrantedWhenFree(StoreLimit limit, long permits, long freeAt) throws Exception {
        Reply reply = acquire(limit, "k", permits);
        long wait = Math.max(0, freeAt - reply.at());
        assertEquals(1_000 * wait, reply.retryAfterNanos());
        if (wait > 0) {
            assertEquals(0, reply.granted());
            pass(Duration.ofNanos(reply.retryAfterNanos()));
            reply = acquire(limit, "k", permits);
        }
        assertEquals(permits, reply.granted());
    }

    @Test
    void aRequestForMoreThanTheBurstIsNeverGranted() throws Exception {
        StoreLimit limit = open(10, LONG, 10);
        Reply never = acquire(limit, "k", 11);
        assertEquals(0, never.granted());
        assertEquals(Reply.NEVER, never.retryAfterNanos());
        assertEquals(10, acquire(limit, "k", 10).granted());
    }

    @Test
    void upToTakesWhatThereIs() throws Exception {
        StoreLimit limit = open(10, LONG, 10);
        assertEquals(4, answer(limit.acquireUpTo("k", 4)).granted());
        assertEquals(6, answer(limit.acquireUpTo("k", 100)).granted());
    }

    @Test
    void upToSaysWhenThereIsOneMoreIfThereAreFewer() throws Exception {
        StoreLimit limit = open(10, LONG, 10);
        Reply all = answer(limit.acquireUpTo("k", 4));
        Reply part = answer(limit.acquireUpTo("k", 100));
        Reply refused = acquire(limit, "k", 1);
        assertEquals(0, all.retryAfterNanos());
        assertEquals(6, part.granted());
        assertTrue(part.retryAfterNanos() >= refused.retryAfterNanos(), () -> part + " " + refused);
        assertTrue(part.retryAfterNanos() <= LONG.toNanos() / 10 + 1_000, part::toString);
    }

    @Test
    void upToSaysWhenThereIsOnePermit() throws Exception {
        StoreLimit limit = open(10, SECOND, 10);
        assertEquals(10, answer(limit.acquireUpTo("k", 100)).granted());
        Reply none = answer(limit.acquireUpTo("k", 100));
        if (none.granted() == 0) {
            assertTrue(none.retryAfterNanos() > 0 && none.retryAfterNanos() <= 100_001_000, none::toString);
            pass(Duration.ofNanos(none.retryAfterNanos()));
            none = answer(limit.acquireUpTo("k", 100));
        }
        assertTrue(none.granted() >= 1, none::toString);
    }

    @Test
    void aChargeCountsBeyondTheLimit() throws Exception {
        StoreLimit limit = open(10, SECOND, 10);
        Reply charged = answer(limit.charge("k", 15));
        assertEquals(0, charged.remaining());
        isGrantedWhenFree(limit, 1, charged.at() + 600_000);
    }

    @Test
    void aChargeLeavesWhatItDoesNotUse() throws Exception {
        StoreLimit limit = open(10, LONG, 10);
        assertEquals(6, answer(limit.charge("k", 4)).remaining());
        assertEquals(6, acquire(limit, "k", 6).granted());
    }

    @Test
    void aNegativeChargeRefunds() throws Exception {
        StoreLimit limit = open(10, LONG, 10);
        assertEquals(10, acquire(limit, "k", 10).granted());
        assertEquals(4, answer(limit.charge("k", -4)).remaining());
        assertEquals(0, acquire(limit, "k", 5).granted());
        assertEquals(4, acquire(limit, "k", 4).granted());
    }

    @Test
    void aRefundFillsTheLimitAtMost() throws Exception {
        StoreLimit limit = open(10, LONG, 10);
        assertEquals(2, acquire(limit, "k", 2).granted());
        assertEquals(10, answer(limit.charge("k", -100)).remaining());
        assertEquals(10, answer(limit.acquireUpTo("k", 100)).granted());
    }

    @Test
    void keysAreCountedByThemselves() throws Exception {
        StoreLimit limit = open(10, LONG, 10);
        for (Object key : new Object[] {"a", "b", "", 7, 7L, "}x"}) {
            assertEquals(10, acquire(limit, key, 10).granted(), () -> "key " + key);
        }
        assertEquals(10, acquire(limit, null, 10).granted());
        assertEquals(0, acquire(limit, "a", 1).granted());
        assertEquals(0, acquire(limit, null, 1).granted());
    }

    @Test
    void aPingCompletesNormally() throws Exception {
        Object unused = answer(open(10, LONG, 10).ping());
    }

    @Test
    @Tag("proof")
    void eachAnswerIsThatOfAnExactModel() throws Exception {
        for (StrategySpec spec : Specs.all()) {
            compare(spec, new Random(spec.hashCode()));
        }
    }

    private void compare(StrategySpec spec, Random random) throws Exception {
        StoreLimit limit = open(spec);
        Model model = Models.of(spec);
        for (int step = 0; step < STEPS; step++) {
            pause(spec, random);
            int operation = random.nextInt(3);
            long permits = 1 + random.nextLong(random.nextBoolean() ? model.largest() : Math.min(3, model.largest()));
            if (operation == ModelAnswer.CHARGE && random.nextBoolean()) {
                permits = -permits;
            } else if (random.nextInt(20) == 0) {
                permits = model.largest() + 1;
            }
            if (operation == ModelAnswer.CHARGE) {
                permits = OverdrawnModel.withoutDebt(model, permits);
            }
            Reply reply = answer(call(limit, operation, permits));
            String what = spec + " step " + step + ": " + operation + " " + permits + " at " + reply.at();
            assertEquals(model.answer(operation, permits, reply.at()), ModelAnswer.of(reply), what);
        }
    }

    private static CompletionStage<Reply> call(StoreLimit limit, int operation, long permits) {
        return switch (operation) {
            case ModelAnswer.ACQUIRE -> limit.acquire(KEY, permits);
            case ModelAnswer.ACQUIRE_UP_TO -> limit.acquireUpTo(KEY, permits);
            default -> limit.charge(KEY, permits);
        };
    }

    /** None, or about the time of a permit; not for long. */
    private void pause(StrategySpec spec, Random random) throws Exception {
        if (random.nextInt(3) == 0) {
            long micros = Math.min(20_000, Specs.period(spec) / 4);
            pass(Duration.ofNanos(1_000 * random.nextLong(1 + micros)));
        }
    }

    @Test
    @Tag("proof")
    void eachAnswerOfALimitByCostIsThatOfAnExactModel() throws Exception {
        for (StrategySpec rate : Specs.single()) {
            boolean isFixed = rate instanceof FixedWindow || rate instanceof FirstHitQuota;
            if (!(rate instanceof Pacer) && !isFixed) {
                compareByCost(rate, new Random(rate.hashCode()));
            }
        }
    }

    @Test
    void whatIsChargedBeyondAWindowIsOwedByThoseThatFollow() throws Exception {
        for (StrategySpec spec : List.of(
                SlidingWindow.of(10, SHORT),
                SlidingLog.of(10, SHORT),
                FixedWindow.of(10, SHORT),
                new FirstHitQuota(10, SHORT))) {
            StoreLimit limit = open(spec);
            assertEquals(0, answer(limit.charge(KEY, 10_000)).remaining(), spec.toString());
            pass(SHORT.multipliedBy(3));
            assertEquals(0, acquire(limit, KEY, 1).granted(), () -> spec + " forgets what was granted beyond it");
        }
    }

    private void compareByCost(StrategySpec rate, Random random) throws Exception {
        StoreLimit limit = open(Settled.of(rate).once());
        assertTrue(limit.countsCost());
        OverdrawnModel model = new OverdrawnModel(rate);
        boolean isEven = limit.refilled(0) >= 0;
        int charge = isEven ? ModelAnswer.CHARGE : ModelAnswer.OVERDRAW;
        long grantedAt = 0;
        for (int step = 0; step < STEPS; step++) {
            pause(rate, random);
            int operation = random.nextInt(4);
            long permits = 1 + random.nextLong(2 * model.largest());
            boolean refunds = operation == 3 && grantedAt > 0;
            Reply reply = answer(refunds ? limit.refund(KEY, permits, grantedAt) : call(limit, operation, permits));
            int counted = switch (operation) {
                case ModelAnswer.ACQUIRE -> ModelAnswer.ACQUIRE_ONCE;
                case ModelAnswer.ACQUIRE_UP_TO -> ModelAnswer.ACQUIRE_UP_TO;
                default -> charge;
            };
            long held = refunds && !isEven ? reply.at() - grantedAt : 0;
            ModelAnswer expected = model.answer(counted, refunds ? -permits : permits, held, reply.at());
            String what = rate + " step " + step + ": " + operation + " " + permits + " at " + reply.at();
            assertEquals(expected, ModelAnswer.of(reply), what);
            grantedAt = reply.granted() > 0 ? reply.at() : grantedAt;
        }
    }

    @Test
    void eachRateGrantsWhenItTold() throws Exception {
        for (StrategySpec spec : quick()) {
            StoreLimit limit = open(spec);
            Reply refused = null;
            for (int request = 0; refused == null && request < 10_000; request++) {
                Reply reply = acquire(limit, KEY, 1);
                refused = reply.granted() == 0 ? reply : null;
            }
            assertTrue(refused != null && refused.retryAfterNanos() > 0, () -> spec + " refuses nothing");
            pass(Duration.ofNanos(refused.retryAfterNanos()));
            assertEquals(1, acquire(limit, KEY, 1).granted(), spec.toString());
        }
    }

    @Test
    void R1_callsOfTwoInstancesAtTheSameTimeAreWithinTheBound() throws Exception {
        List<StrategySpec> quick = quick();
        long third = Specs.period(quick.get(0)) / 3;
        for (StrategySpec spec : quick) {
            String name = newName();
            List<StoreLimit> instances = List.of(open(name, spec), open(name, spec));
            Grants grants = new Grants();
            for (int round = 0; round < 3; round++) {
                List<CompletionStage<Reply>> sent = new ArrayList<>();
                for (int i = 0; i < TOGETHER; i++) {
                    sent.add(instances.get(i % 2).acquire(KEY, 1 + i % 2));
                }
                for (CompletionStage<Reply> each : sent) {
                    Reply reply = answer(each);
                    grants.add(reply.at(), ModelAnswer.of(reply));
                }
                pass(Duration.ofNanos(1_000 * third));
            }
            grants.inOrder().check(Specs.bound(spec), spec.toString());
        }
    }

    @Test
    void W5_W6_specificationsThatAlternateGrantNoMoreThanTheLargest() throws Exception {
        Random random = new Random(5);
        List<StrategySpec> quick = quick();
        for (StrategySpec before : quick) {
            StrategySpec after = quick.get(random.nextInt(quick.size()));
            String name = newName();
            List<StrategySpec> specs = List.of(before, after);
            List<StoreLimit> limits = List.of(open(name, before), open(name, after));
            Grants grants = new Grants();
            for (int step = 0; step < STEPS; step++) {
                Reply reply = answer(limits.get(random.nextInt(2)).acquireUpTo(KEY, 1 + random.nextInt(20)));
                grants.add(reply.at(), ModelAnswer.of(reply));
                pause(before, random);
            }
            List<Bound> bounds = specs.stream().map(Specs::bound).toList();
            grants.checkLargest(bounds, before + " and " + after);
        }
    }

    @Test
    void permitsOfAnySizeAreAnswered() throws Exception {
        for (StrategySpec spec : Specs.all()) {
            StoreLimit limit = open(spec);
            assertEquals(Reply.NEVER, acquire(limit, KEY, Long.MAX_VALUE).retryAfterNanos());
            Reply charged = answer(limit.charge(KEY, Long.MAX_VALUE));
            assertEquals(0, charged.remaining(), spec.toString());
            assertEquals(0, acquire(limit, KEY, 1).granted(), () -> spec + " does not owe what was charged");
            Reply refunded = answer(limit.charge(KEY, Long.MIN_VALUE));
            assertTrue(spec instanceof Ban || refunded.remaining() > 0, spec.toString());
        }
    }
}
