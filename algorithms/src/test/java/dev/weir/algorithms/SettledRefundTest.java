package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.SettledRate;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is returned of a grant of a steady bucket: as much as the bucket would have more now without that part of the grant. */
class SettledRefundTest {
    private static final long RATE = 100;
    private static final long BURST = 1000;

    private final VirtualTime time = new VirtualTime(1);

    private SettledRate started(StrategySpec rate) {
        return (SettledRate) Settled.of(rate).create(time);
    }

    private static long used(SettledRate rate) {
        return Objects.requireNonNull(rate.account()).used();
    }

    private static Request cost(long cost) {
        return Request.ONE.settled(cost);
    }

    /** 100 a second of 1000: 5 s later 500 have refilled, and all that was too much is returned, because more is missing. */
    @Test
    void aBucketThatWasNeverFullReturnsAll() {
        SettledRate rate = started(TokenBucket.of(RATE, Duration.ofSeconds(1)).withCapacity(BURST));
        long before = time.read();
        assertEquals(0, rate.acquire(cost(300)));
        assertEquals(0, rate.acquire(cost(700)));
        time.advance(Duration.ofSeconds(5));
        assertEquals(500, used(rate));
        rate.refund(cost(300), before);
        assertEquals(200, used(rate), 1);
    }

    /** 1 s after 300 of 1000 were granted 200 are missing, and 4 s after that none: then the bucket had no room for more than 200. */
    @Test
    void aBucketThatWasNearlyFullReturnsWhatWasMissing() {
        SettledRate rate = started(TokenBucket.of(RATE, Duration.ofSeconds(1)).withCapacity(BURST));
        long before = time.read();
        assertEquals(0, rate.acquire(cost(300)));
        time.advance(Duration.ofSeconds(1));
        assertEquals(0, rate.acquire(cost(800)));
        rate.refund(cost(300), before);
        assertEquals(800, used(rate), 1);
        SettledRate full = started(TokenBucket.of(RATE, Duration.ofSeconds(1)).withCapacity(BURST));
        long then = time.read();
        assertEquals(0, full.acquire(cost(300)));
        time.advance(Duration.ofSeconds(4));
        assertEquals(0, full.acquire(cost(800)));
        full.refund(cost(300), then);
        assertEquals(800, used(full), 1);
    }

    /** A grant of a run, which is settled at its end. */
    private record Grant(long at, long estimate, long[] spent) {}

    /**
     * The bucket that knew all costs before, replayed from the start: below zero where more was charged than it had.
     *
     * @param grants in the order of time; {@code spent[0]} is what each has spent by now
     */
    private static double replayed(List<Grant> grants, long now) {
        double missing = 0;
        long last = 0;
        for (Grant grant : grants) {
            missing = Math.max(0, missing - (grant.at - last) * (RATE / 1e9)) + grant.spent[0];
            last = grant.at;
        }
        return Math.max(0, missing - (now - last) * (RATE / 1e9));
    }

    /* Never more than the bucket that knew before would have, and mostly the same. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void neverReturnsMoreThanWhatABucketWouldHaveThatKnewBefore(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double load = 0.3 + random.nextDouble();
        SettledRate rate = started(
                random.nextBoolean()
                        ? TokenBucket.of(RATE, Duration.ofSeconds(1)).withCapacity(BURST)
                        : new Gcra(RATE, Duration.ofSeconds(1), Duration.ofMillis(9990)));
        List<Grant> all = new ArrayList<>();
        List<Grant> running = new ArrayList<>();
        double lost = 0;
        double known = 0;
        for (int step = 0; step < 1500; step++) {
            time.advance(random.nextLong(Math.round(100 * 1e9 / RATE / load)));
            long estimate = 1 + random.nextLong(100);
            long before = time.read();
            if (rate.acquire(cost(estimate)) == 0) {
                Grant grant = new Grant(before, estimate, new long[] {estimate});
                all.add(grant);
                running.add(grant);
            }
            if (!running.isEmpty() && random.nextBoolean()) {
                Grant ended = running.remove(random.nextInt(running.size()));
                long back = 1 + random.nextLong(ended.estimate);
                rate.refund(cost(back), ended.at);
                ended.spent[0] -= back;
            }
            double truth = replayed(all, time.read());
            assertTrue(used(rate) >= truth - 1e-3, () -> used(rate) + " of " + truth);
            lost += used(rate) - truth;
            known += truth;
        }
        double share = lost / known;
        assertTrue(load < 1 || share < 0.05, () -> "a load of " + load + " has " + share + " more missing");
    }
}
