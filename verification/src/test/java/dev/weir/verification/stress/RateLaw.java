package dev.weir.verification.stress;

import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Gcra;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.algorithms.TokenBucket.Refill;
import dev.weir.spi.StrategySpec;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;

/**
 * What a rate promises. Another algorithm is one more line in {@link #ALL}.
 *
 * @param name of the algorithm
 * @param spec made of permits, a period and a capacity, whatever the algorithm calls them
 * @param max the most permits in any half-open window
 * @param saturated the permits granted from the start to an instant, if it is asked whenever it said so
 */
record RateLaw(String name, Spec spec, Count max, Count saturated) {
    private static final BigInteger CATCH_UP = BigInteger.valueOf(10_000_000);

    static final List<RateLaw> ALL = List.of(
            new RateLaw(
                    "token bucket",
                    (p, period, c) -> new TokenBucket(p, period, c, c, Refill.GREEDY),
                    (w, p, period, c) -> c.add(w.multiply(p).divide(period)),
                    (t, p, period, c) -> c.add(t.multiply(p).divide(period))),
            new RateLaw(
                    "token bucket by interval",
                    (p, period, c) -> new TokenBucket(p, period, c, c, Refill.INTERVAL),
                    (w, p, period, c) -> c.add(up(w, period).multiply(p)),
                    (t, p, period, c) -> c.add(t.divide(period).multiply(c.min(p)))),
            new RateLaw(
                    "batched bucket",
                    (p, period, c) -> new TokenBucket(p, period, c, c, Refill.GREEDY).batched(1),
                    (w, p, period, c) -> c.add(w.multiply(p).divide(period)),
                    (t, p, period, c) -> c.add(t.multiply(p).divide(period))),
            new RateLaw(
                    "leaky bucket",
                    LeakyBucket::new,
                    (w, p, period, c) -> c.add(BigInteger.ONE).add(w.multiply(p).divide(period)),
                    (t, p, period, c) -> c.add(BigInteger.ONE).add(t.multiply(p).divide(period))),
            new RateLaw(
                    "GCRA",
                    (p, period, c) -> new Gcra(p, period, Duration.ofNanos(c)),
                    (w, p, period, c) -> w.subtract(BigInteger.ONE)
                            .add(c)
                            .divide(up(period, p))
                            .add(BigInteger.ONE),
                    (t, p, period, c) -> t.add(c).divide(up(period, p)).add(BigInteger.ONE)),
            new RateLaw(
                    "pacer",
                    Pacer::new,
                    (w, p, period, c) -> w.subtract(BigInteger.ONE)
                            .divide(up(period, p))
                            .add(CATCH_UP.divide(up(period, p)))
                            .add(BigInteger.ONE)
                            .add(c),
                    (t, p, period, c) -> t.divide(up(period, p)).add(BigInteger.ONE)),
            new RateLaw(
                    "fixed window",
                    (p, period, c) -> FixedWindow.of(p, period),
                    (w, p, period, c) -> p.multiply(
                            w.add(period).add(period).subtract(BigInteger.TWO).divide(period)),
                    RateLaw::eachPeriod),
            new RateLaw(
                    "sliding window",
                    (p, period, c) -> new SlidingWindow(p, period, 10),
                    RateLaw::anyPeriod,
                    (t, p, period, c) ->
                            eachPeriod(t, p, up(period, BigInteger.TEN).multiply(BigInteger.valueOf(11)), c)),
            new RateLaw(
                    "sliding log",
                    (p, period, c) -> new SlidingLog(p, period),
                    RateLaw::anyPeriod,
                    RateLaw::eachPeriod));

    /** Permits, period and capacity as a specification, or an {@link IllegalArgumentException}. */
    interface Spec {
        StrategySpec of(long permits, Duration period, long capacity);
    }

    /** How many permits in so many nanoseconds. */
    interface Count {
        BigInteger of(BigInteger nanos, BigInteger permits, BigInteger period, BigInteger capacity);
    }

    static BigInteger count(Count law, long nanos, long permits, Duration period, long capacity) {
        BigInteger periodNanos = BigInteger.valueOf(period.toNanos());
        return law.of(
                BigInteger.valueOf(nanos), BigInteger.valueOf(permits), periodNanos, BigInteger.valueOf(capacity));
    }

    private static BigInteger up(BigInteger a, BigInteger b) {
        return a.add(b).subtract(BigInteger.ONE).divide(b);
    }

    private static BigInteger anyPeriod(BigInteger w, BigInteger p, BigInteger period, BigInteger c) {
        return up(w, period).multiply(p);
    }

    private static BigInteger eachPeriod(BigInteger t, BigInteger p, BigInteger period, BigInteger c) {
        return t.divide(period).add(BigInteger.ONE).multiply(p);
    }

    @Override
    public String toString() {
        return name;
    }
}
