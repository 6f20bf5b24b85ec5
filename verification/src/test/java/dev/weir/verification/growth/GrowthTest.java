package dev.weir.verification.growth;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.Bounds;
import dev.weir.adaptive.controller.Crest;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.queue.discipline.AdaptiveLifo;
import dev.weir.queue.discipline.CoDel;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.queue.discipline.EarliestDeadline;
import dev.weir.queue.discipline.FairShare;
import dev.weir.queue.discipline.Fifo;
import dev.weir.queue.discipline.Lifo;
import dev.weir.queue.discipline.Priority;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Nothing on the way of a request takes time in proportion to keys, tenants or waiters. */
class GrowthTest {
    private static final Duration LONG = Duration.ofDays(1_000);
    private static final int HUNDREDFOLD = 100;

    static List<DisciplineSpec> disciplines() {
        return List.of(
                new Fifo(),
                new Lifo(),
                new AdaptiveLifo(LONG),
                new AdaptiveLifo(Duration.ofMillis(1)),
                new CoDel(LONG, LONG, new Fifo()),
                new Priority(LONG),
                new EarliestDeadline(),
                new FairShare(),
                new CoDel(LONG, LONG, new FairShare()));
    }

    private static Crowd ofOneLimit(int tenants, DisciplineSpec discipline) {
        return new Crowd(tenants, new Semaphore(1), discipline).holding(1).waiting();
    }

    private static Crowd ofALimitByKey(int tenants, DisciplineSpec discipline) {
        Keyed one = Keyed.of(new Semaphore(1), 10L * tenants);
        return new Crowd(tenants, one, discipline).holdingAll().waiting();
    }

    @ParameterizedTest
    @MethodSource("disciplines")
    void enteringAndLeaving(DisciplineSpec discipline) {
        Growth.assertFlat(HUNDREDFOLD, n -> ofOneLimit(n, discipline).entering());
    }

    @ParameterizedTest
    @MethodSource("disciplines")
    void timingOut(DisciplineSpec discipline) {
        Growth.assertFlat(HUNDREDFOLD, n -> ofOneLimit(n, discipline).timingOut());
    }

    @ParameterizedTest
    @MethodSource("disciplines")
    void aGrant(DisciplineSpec discipline) {
        Growth.assertFlat(HUNDREDFOLD, n -> ofOneLimit(n, discipline).grantingByOrder());
    }

    @ParameterizedTest
    @MethodSource("disciplines")
    void enteringAndLeavingBeforeALimitByKey(DisciplineSpec discipline) {
        Growth.assertFlat(HUNDREDFOLD, n -> ofALimitByKey(n, discipline).entering());
    }

    @ParameterizedTest
    @MethodSource("disciplines")
    void timingOutBeforeALimitByKey(DisciplineSpec discipline) {
        Growth.assertFlat(HUNDREDFOLD, n -> ofALimitByKey(n, discipline).timingOut());
    }

    @ParameterizedTest
    @MethodSource("disciplines")
    void aReleaseBeforeALimitByKey(DisciplineSpec discipline) {
        Growth.assertFlat(HUNDREDFOLD, n -> ofALimitByKey(n, discipline).releasing());
    }

    @Test
    void aGrantOfFairShareBeforeALimitByKey() {
        Growth.assertFlat(HUNDREDFOLD, n -> ofALimitByKey(n, new FairShare()).grantingByTenant());
    }

    @Test
    void aRefillOfFairShareBeforeARateByKey() {
        Growth.assertFlat(
                HUNDREDFOLD,
                n -> new Crowd(n, Keyed.of(TokenBucket.of(1, Duration.ofMillis(n)), 10L * n), new FairShare())
                        .refillingInTurn()
                        .refilling());
    }

    @ParameterizedTest
    @MethodSource("disciplines")
    void aGrantBesideOneWaiterAboveALoweredLimit(DisciplineSpec discipline) {
        Growth.assertFlat(HUNDREDFOLD, n -> {
            Crowd crowd = new Crowd(n, new Semaphore(10), discipline).holding(10);
            crowd.queue.acquireAsync(Request.of(8), LONG);
            crowd.waiting().limiter.dial().setLimit(4);
            for (int i = 0; i < 7; i++) {
                crowd.release("");
            }
            return crowd.grantingByOrder();
        });
    }

    @ParameterizedTest
    @MethodSource("disciplines")
    void aGrantBesideManyWaitersAboveALoweredLimit(DisciplineSpec discipline) {
        Growth.assertFlat(HUNDREDFOLD, n -> {
            Crowd crowd = new Crowd(n, new Semaphore(10), discipline).holding(10);
            for (int i = 0; i < n; i++) {
                crowd.queue.acquireAsync(Request.of(8), LONG);
            }
            crowd.limiter.dial().setLimit(4);
            for (int i = 0; i < 7; i++) {
                crowd.release("");
            }
            return crowd.passing();
        });
    }

    /** A limiter by key with one permit of each key in flight. */
    private static ManagedLimiter inFlight(int keys, VirtualTime time) {
        ManagedLimiter limiter = Limiters.builder("limiter", Keyed.of(new Semaphore(100), 10L * keys))
                .ticker(time)
                .build();
        for (int i = 0; i < keys; i++) {
            assertInstanceOf(Permit.class, limiter.tryAcquire(Request.forKey(i)));
        }
        return limiter;
    }

    @Test
    void aPermitUnderAdaptiveControlOfALimitByKey() {
        Growth.assertFlat(HUNDREDFOLD, n -> {
            VirtualTime time = new VirtualTime();
            ManagedLimiter limiter = inFlight(n, time);
            AdaptiveControl control = AdaptiveControl.builder(limiter, new Crest())
                    .bounds(Bounds.of(100, 100))
                    .ticker(time)
                    .build();
            Request request = Request.forKey(0);
            return new Growth(
                    () -> {
                        Permit permit = (Permit) limiter.tryAcquire(request);
                        time.advance(1_000_000);
                        permit.close();
                    },
                    () -> control.snapshot().limit());
        });
    }

    @Test
    void aSnapshotOfALimitByKey() {
        Growth.assertFlat(HUNDREDFOLD, n -> snapshots(inFlight(n, new VirtualTime())));
    }

    @Test
    void aSnapshotBesideTrackedPermits() {
        Growth.assertFlat(HUNDREDFOLD, n -> {
            ManagedLimiter limiter = Limiters.builder("limiter", new Semaphore(10 * n))
                    .ticker(new VirtualTime())
                    .trackPermits(1)
                    .build();
            for (int i = 0; i < n; i++) {
                assertInstanceOf(Permit.class, limiter.tryAcquire());
            }
            return snapshots(limiter);
        });
    }

    private static Growth snapshots(ManagedLimiter limiter) {
        return new Growth(limiter::snapshot, () -> 0);
    }
}
