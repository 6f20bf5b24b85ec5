package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.Seed;
import dev.weir.testkit.StrategyContract;
import dev.weir.testkit.VirtualTime;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("property")
class PrioritySheddingTest extends StrategyContract {
    @Override
    protected StrategySpec spec(long limit) {
        return PriorityShedding.of(limit, 20, 50);
    }

    @Test
    void truthTable() {
        // 10 permits; priority 1 leaves 2 free, 2 and higher leave 5.
        ManagedLimiter limiter = Limiters.of("shedding", PriorityShedding.of(10, 20, 50));
        assertInstanceOf(Permit.class, limiter.tryAcquire(asked(5, 2))); // 5 of 10, 5 free
        assertEquals(Reason.SHED, reason(limiter, asked(1, 2))); // would leave 4
        assertEquals(Reason.SHED, reason(limiter, asked(1, 7)));
        assertInstanceOf(Permit.class, limiter.tryAcquire(asked(3, 1))); // 8 of 10, 2 free
        assertEquals(Reason.SHED, reason(limiter, asked(1, 1))); // would leave 1
        assertEquals(Reason.CONCURRENCY, reason(limiter, asked(3, 1))); // 11 of 10
        Permit top = assertInstanceOf(Permit.class, limiter.tryAcquire(asked(2, 0))); // 10 of 10
        assertEquals(Reason.CONCURRENCY, reason(limiter, asked(1, 0)));
        assertEquals(Reason.CONCURRENCY, reason(limiter, asked(1, 2)));
        assertEquals(Reason.NEVER, reason(limiter, asked(6, 2))); // 10 - 5 = 5 < 6
        assertEquals(Reason.NEVER, reason(limiter, asked(9, 1))); // 10 - 2 = 8 < 9
        assertEquals(Reason.NEVER, reason(limiter, asked(11, 0)));
        top.close(); // 8 of 10
        assertEquals(Reason.SHED, reason(limiter, asked(1, 1)));
        limiter.dial().setLimit(12); // priority 1 leaves floor(2.4) = 2
        assertInstanceOf(Permit.class, limiter.tryAcquire(asked(2, 1))); // 10 of 12
        assertEquals(Reason.SHED, reason(limiter, asked(1, 1)));
    }

    @Test
    void aLimitOfOneIsOpenToAll() {
        ManagedLimiter limiter = Limiters.of("shedding", PriorityShedding.of(1, 99, 99));
        assertInstanceOf(Permit.class, limiter.tryAcquire(asked(1, 2)));
    }

    @Test
    void R3_refusesReservesThatDecreaseOrLeaveNothing() {
        assertThrows(IllegalArgumentException.class, () -> PriorityShedding.of(10, 50, 20));
        assertThrows(IllegalArgumentException.class, () -> PriorityShedding.of(10, -1));
        String told = assertThrows(IllegalArgumentException.class, () -> PriorityShedding.of(10, 100))
                .getMessage();
        assertEquals("reservedPercents must be >= 0 and <= 99, was 100", told);
    }

    @Test
    void otherReservesAreAdjustedInPlaceAndTheDialStays() {
        StrategySpec from = PriorityShedding.of(10, 50);
        Strategy running = from.create(new VirtualTime());
        assertSame(running, Traffic.changed(from, running, PriorityShedding.of(20, 10), new VirtualTime()));
        assertEquals(20, running.limit());
        assertEquals(Strategy.GRANTED, running.acquire(asked(18, 1)));
        assertEquals(Strategy.UNTIL_RELEASE, running.acquire(asked(1, 1)));
    }

    @Test
    void S1_S14_eachPriorityKeepsItsReserveOverAnyScript() {
        Seed.forAll(300, random -> {
            int first = random.nextInt(100);
            int second = random.nextInt(first, 100);
            long limit = random.nextLong(1, 40);
            ManagedLimiter limiter = Limiters.of("shedding", PriorityShedding.of(limit, first, second));
            Deque<Permit> out = new ArrayDeque<>();
            Deque<Long> weights = new ArrayDeque<>();
            for (int step = 0; step < 200; step++) {
                long held = weights.stream().mapToLong(Long::longValue).sum();
                switch (random.nextInt(6)) {
                    case 0 -> {
                        limit = random.nextLong(1, 40);
                        limiter.dial().setLimit(limit);
                    }
                    case 1, 2 -> {
                        if (!out.isEmpty()) {
                            out.remove().close();
                            weights.remove();
                        }
                    }
                    default -> {
                        int priority = random.nextInt(4);
                        long permits = random.nextLong(1, 10);
                        long reserve = limit * List.of(0, first, second, second).get(priority) / 100;
                        if (limiter.tryAcquire(asked(permits, priority)) instanceof Permit permit) {
                            assertEquals(true, held + permits + reserve <= limit);
                            out.add(permit);
                            weights.add(permits);
                        } else {
                            assertEquals(
                                    permits + reserve > limit
                                            ? Reason.NEVER
                                            : held + permits > limit ? Reason.CONCURRENCY : Reason.SHED,
                                    reason(limiter, asked(permits, priority)));
                        }
                    }
                }
            }
            out.forEach(Permit::close);
            Oracle.assertCapacity(limit, limiter);
        });
    }

    private static Request asked(long permits, int priority) {
        return new Request(permits, priority, null, Request.NO_DEADLINE);
    }

    private static Reason reason(ManagedLimiter limiter, Request request) {
        return assertInstanceOf(Rejection.class, limiter.tryAcquire(request)).reason();
    }
}
