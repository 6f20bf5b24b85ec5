package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.Outcome;
import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import dev.weir.testkit.Seed;
import dev.weir.testkit.StrategyContract;
import dev.weir.testkit.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("property")
class SemaphoreTest extends StrategyContract {
    @Override
    protected StrategySpec spec(long limit) {
        return new Semaphore(limit);
    }

    @Test
    void truthTable() {
        PartStrategy semaphore = Parts.create(new Semaphore(5), new VirtualTime());
        assertEquals(Strategy.GRANTED, ask(semaphore, 3)); // 3 of 5
        assertEquals(Strategy.UNTIL_RELEASE, ask(semaphore, 3)); // 3 + 3 > 5, yet 3 <= 5
        assertEquals(Strategy.GRANTED, ask(semaphore, 2)); // 5 of 5
        assertEquals(Strategy.NEVER, ask(semaphore, 6)); // 6 > 5
        semaphore.setLimit(2); // 5 of 2
        assertEquals(Strategy.NEVER, ask(semaphore, 3)); // 3 > 2
        assertEquals(Strategy.UNTIL_RELEASE, ask(semaphore, 1));
        release(semaphore, 3); // 2 of 2
        assertEquals(Strategy.UNTIL_RELEASE, ask(semaphore, 1));
        release(semaphore, 2); // 0 of 2
        assertEquals(Strategy.GRANTED, ask(semaphore, 2));
        assertEquals(2, semaphore.inFlight());
        semaphore.setLimit(3); // 2 of 3
        assertEquals(Strategy.GRANTED, ask(semaphore, 1));
        assertEquals(Strategy.UNTIL_RELEASE, ask(semaphore, 1));
    }

    @Test
    void S14_theLargestLimitCountsWithoutOverflow() {
        PartStrategy semaphore = Parts.create(new Semaphore(Integer.MAX_VALUE), new VirtualTime());
        assertEquals(Strategy.GRANTED, ask(semaphore, Integer.MAX_VALUE));
        assertEquals(Integer.MAX_VALUE, semaphore.inFlight());
        assertEquals(Strategy.UNTIL_RELEASE, ask(semaphore, 1));
        assertEquals(Strategy.NEVER, ask(semaphore, 1L << 31));
        assertEquals(Strategy.NEVER, ask(semaphore, Long.MAX_VALUE));
        release(semaphore, Integer.MAX_VALUE);
        assertEquals(0, semaphore.inFlight());
        assertEquals(
                "limit must be >= 1 and <= 2147483647, was 2147483648",
                assertThrows(IllegalArgumentException.class, () -> new Semaphore(1L << 31))
                        .getMessage());
        assertThrows(IllegalArgumentException.class, () -> semaphore.setLimit(1L << 31));
    }

    @Test
    void S1_S2_S9_S14_asTheModelOverAnyScript() {
        Seed.forAll(300, random -> {
            long limit = random.nextLong(1, 30);
            PartStrategy running = Parts.create(new Semaphore(limit), new VirtualTime());
            List<Long> out = new ArrayList<>();
            for (int step = 0; step < 300; step++) {
                long held = out.stream().mapToLong(Long::longValue).sum();
                assertEquals(held, running.inFlight());
                switch (random.nextInt(6)) {
                    case 0, 1, 2 -> {
                        long asked = random.nextLong(1, 12);
                        long expected = asked > limit
                                ? Strategy.NEVER
                                : held + asked > limit ? Strategy.UNTIL_RELEASE : Strategy.GRANTED;
                        assertEquals(expected, ask(running, asked));
                        if (expected == Strategy.GRANTED) {
                            out.add(asked);
                        }
                    }
                    case 3, 4 -> {
                        if (!out.isEmpty()) {
                            release(running, out.remove(random.nextInt(out.size())));
                        }
                    }
                    default -> {
                        StrategySpec before = new Semaphore(limit);
                        limit = random.nextLong(1, 30);
                        if (random.nextBoolean()) {
                            running.setLimit(limit);
                        } else {
                            assertSame(
                                    running, Traffic.changed(before, running, new Semaphore(limit), new VirtualTime()));
                        }
                    }
                }
            }
        });
    }

    private static long ask(Strategy strategy, long permits) {
        return strategy.acquire(Request.of(permits));
    }

    private static void release(Strategy strategy, long permits) {
        strategy.release(Request.of(permits), Outcome.SUCCESS);
    }
}
