package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Strategy;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import dev.weir.testkit.Oracle.Grant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToIntFunction;

/** The checks of {@code StrategyContract} of permits that are cancelled, and of what is refunded then. */
final class RefundProperties {
    private static final int RUNS = 100;
    private static final int LEAVING = 100;

    private final TestedStrategy tested;
    private final long period;

    RefundProperties(TestedStrategy tested) {
        this.tested = tested;
        this.period = tested.period();
    }

    void allIsRefundedAtOnce() {
        forAll(cancelling -> {
            cancelling.begin();
            int cancelled = cancelling.cancel();
            cancelling.assertAllThatIsDue();
            return cancelled;
        });
    }

    void whatHasRefilledIsNotRefunded() {
        forAll(cancelling -> afterAPause(cancelling, cancelling.random.nextLong(period)));
    }

    void afterAResetNothingIsRefunded() {
        forAll(cancelling -> afterAPause(
                cancelling, period * cancelling.random.nextLong(1, 1_000) + cancelling.random.nextLong(period)));
    }

    private static int afterAPause(CancellingLimiter cancelling, long pause) {
        cancelling.begin();
        cancelling.time.advance(pause);
        cancelling.others();
        int cancelled = cancelling.cancel();
        cancelling.assertNoMoreThanIsDue();
        return cancelled;
    }

    /** Requests that are not refundable, straight and as a queue does: one limiter gets their permits back as cancelled. */
    void notAskedForNothingIsRefunded() {
        Seed.forAll(RUNS, random -> {
            long limit = random.nextLong(2, CancellingLimiter.MAX_LIMIT);
            VirtualTime time = new VirtualTime(random.nextLong());
            ManagedLimiter cancelled = tested.limiter(limit, time);
            ManagedLimiter equal = tested.limiter(limit, time);
            for (long left = random.nextLong(limit + 1); left > 0; left--) {
                Request request = tested.request(1);
                boolean isStraight = random.nextBoolean();
                Decision decision = isStraight ? cancelled.tryAcquire(request) : cancelled.attempt(request);
                assertEquals(decision instanceof Permit, equal.tryAcquire(request) instanceof Permit);
                if (decision instanceof Permit permit) {
                    assertTrue(permit.release(Outcome.CANCELLED));
                }
            }
            assertEquals(
                    Oracle.takeAll(CancellingLimiter.AT_MOST, equal, () -> tested.request(1))
                            .size(),
                    Oracle.takeAll(CancellingLimiter.AT_MOST, cancelled, () -> tested.request(1))
                            .size(),
                    "granted after others were cancelled");
        });
    }

    void afterAChangeARefundCreatesNothing() {
        forAll(cancelling -> {
            changes(cancelling, cancelling.random.nextInt(3));
            cancelling.begin();
            changes(cancelling, cancelling.random.nextInt(1, 3));
            int cancelled = cancelling.cancel();
            cancelling.assertNoMoreThanIsDue();
            return cancelled;
        });
    }

    private void changes(CancellingLimiter cancelling, int times) {
        for (int change = 0; change < times; change++) {
            cancelling.others();
            cancelling.change();
            cancelling.time.advance(cancelling.random.nextInt(3) == 0 ? period / 3 : 0);
        }
    }

    /** Several waiters leave as soon as they are granted, as those that time out do, and each is followed by the next one. */
    void waitersGetWhatIsRefunded() {
        forAll(cancelling -> {
            cancelling.begin();
            cancelling.drain();
            AtomicInteger leaving = new AtomicInteger(cancelling.random.nextInt(LEAVING));
            List<Permit> granted = new ArrayList<>();
            cancelling.limiter.whenCapacity(() -> {
                while (cancelling.attempt() instanceof Permit permit) {
                    if (leaving.getAndDecrement() > 0) {
                        permit.release(Outcome.CANCELLED);
                    } else {
                        granted.add(permit);
                    }
                }
            });
            int cancelled = cancelling.cancel();
            assertEquals(cancelling.due(), granted.size(), "granted to waiters when others were cancelled");
            return cancelled;
        });
    }

    private void forAll(ToIntFunction<CancellingLimiter> scenario) {
        AtomicInteger cancelled = new AtomicInteger();
        Seed.forAll(RUNS, random -> cancelled.addAndGet(scenario.applyAsInt(new CancellingLimiter(tested, random))));
        assertTrue(Seed.isReplayed() || cancelled.get() > 0, "no request was granted that could be cancelled");
    }

    /** The engine refunds each grant once at most; a strategy that is called more often must not exceed its burst for that. */
    void moreRefundsThanGrantsCreateNothing() {
        assumeTrue(tested.spec(1).create(new VirtualTime()).traits().refunds(), "it cannot refund");
        Seed.forAll(RUNS, random -> {
            long limit = random.nextLong(1, CancellingLimiter.MAX_LIMIT);
            VirtualTime time = new VirtualTime(random.nextLong());
            PartStrategy strategy = Parts.create(tested.spec(limit), time);
            long grantedAt = time.read();
            take(strategy, random.nextLong(limit + 1));
            time.advance(random.nextLong(period / 2));
            refundInExcess(strategy, limit, grantedAt, random);
            List<Grant> grants = new ArrayList<>();
            for (long at : new long[] {0, 1, period / 2, period}) {
                time.advance(at
                        - (grants.isEmpty() ? 0 : grants.get(grants.size() - 1).at()));
                grants.add(new Grant(at, take(strategy, CancellingLimiter.AT_MOST)));
            }
            for (long window : new long[] {1, 2, period / 2, period}) {
                Oracle.assertWindow(grants, Math.max(1, window), tested.maxWithin(Math.max(1, window), limit));
            }
        });
    }

    private void refundInExcess(PartStrategy strategy, long limit, long grantedAt, SplittableRandom random) {
        for (int times = random.nextInt(1, 5); times > 0; times--) {
            boolean huge = tested.weighs() && random.nextInt(4) == 0;
            Request request = tested.request(huge ? Long.MAX_VALUE : tested.weighs() ? limit : 1);
            strategy.route(request).refund(request, grantedAt);
        }
    }

    private long take(PartStrategy strategy, long atMost) {
        long taken = 0;
        for (Request one = tested.request(1); taken < atMost; taken++) {
            if (strategy.route(one).acquire(one) != Strategy.GRANTED) {
                break;
            }
        }
        return taken;
    }
}
