package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.weir.Outcome;
import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import dev.weir.testkit.Seed;
import dev.weir.testkit.StrategyContract;
import dev.weir.testkit.VirtualTime;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("property")
class CounterTest extends StrategyContract {
    @Override
    protected StrategySpec spec(long limit) {
        return new Counter(limit);
    }

    @Override
    protected boolean weighs() {
        return false;
    }

    @Test
    void truthTable() {
        PartStrategy counter = Parts.create(new Counter(2), new VirtualTime());
        assertEquals(Strategy.GRANTED, counter.acquire(Request.ONE)); // 1 of 2
        assertEquals(Strategy.NEVER, counter.acquire(Request.of(2))); // unweighted
        assertEquals(Strategy.GRANTED, counter.acquire(Request.ONE)); // 2 of 2
        assertEquals(Strategy.UNTIL_RELEASE, counter.acquire(Request.ONE));
        counter.setLimit(1); // 2 of 1
        counter.release(Request.ONE, Outcome.SUCCESS); // 1 of 1
        assertEquals(Strategy.UNTIL_RELEASE, counter.acquire(Request.ONE));
        counter.release(Request.ONE, Outcome.CANCELLED); // 0 of 1
        assertEquals(Strategy.GRANTED, counter.acquire(Request.ONE));
        assertEquals(1, counter.inFlight());
    }

    @Test
    void S1_S2_S9_asTheModelOverAnyScript() {
        Seed.forAll(300, random -> {
            long limit = random.nextLong(1, 10);
            long held = 0;
            PartStrategy running = Parts.create(new Counter(limit), new VirtualTime());
            for (int step = 0; step < 300; step++) {
                switch (random.nextInt(5)) {
                    case 0, 1 -> {
                        long expected = held < limit ? Strategy.GRANTED : Strategy.UNTIL_RELEASE;
                        assertEquals(expected, running.acquire(Request.ONE));
                        held += expected == Strategy.GRANTED ? 1 : 0;
                    }
                    case 2, 3 -> {
                        if (held > 0) {
                            running.release(Request.ONE, Seed.oneOf(random, Outcome.values()));
                            held--;
                        }
                    }
                    default -> {
                        StrategySpec before = new Counter(limit);
                        limit = random.nextLong(1, 10);
                        assertSame(running, Traffic.changed(before, running, new Counter(limit), new VirtualTime()));
                    }
                }
                assertEquals(held, running.inFlight());
            }
        });
    }
}
