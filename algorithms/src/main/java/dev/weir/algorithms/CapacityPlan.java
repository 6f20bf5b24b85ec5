package dev.weir.algorithms;

import dev.weir.internal.Require;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.Duration;

/**
 * A first estimate of limits before a service runs, from the requests per day, the part of the day they come in and the ratio
 * of the peak to the average. It covers one service and no sudden events; measure, then correct the limit. All results are
 * rounded up, and saturate at {@link Long#MAX_VALUE}.
 *
 * <p>Three million page views per day by the 80/20 rule, on machines that handled 58 per second in a load test:
 *
 * <pre>{@code
 * CapacityPlan plan = CapacityPlan.of(3_000_000).withPeak(CapacityPlan.peakFactor(0.8, 0.2));
 * plan.averageQps();                                          // 35
 * plan.peakQps();                                             // 139
 * plan.machines(58);                                          // 3
 * CapacityPlan.concurrency(58, Duration.ofMillis(200));       // 12, the limit of each
 * }</pre>
 *
 * @param requestsPerDay page views times the requests of each; at least 1
 * @param busy the length of the part of the day in which they come, 1 ns to {@link #DAY}
 * @param peakFactor the peak divided by the average; at least 1 and finite
 */
public record CapacityPlan(long requestsPerDay, Duration busy, double peakFactor) {
    /** A whole day: 86,400 s. */
    public static final Duration DAY = Duration.ofDays(1);

    /** The part of a day in which a service of one country is used, by rule of thumb: 40,000 s. */
    public static final Duration DAYTIME = Duration.ofSeconds(40_000);

    /** @throws IllegalArgumentException if a component is out of its range */
    public CapacityPlan {
        Check.within("requestsPerDay", requestsPerDay, 1, Long.MAX_VALUE);
        Check.nanos("busy", busy);
        Require.that(busy.compareTo(DAY) <= 0, "busy must be <= " + DAY, busy);
        boolean isFactor = peakFactor >= 1 && peakFactor < Double.POSITIVE_INFINITY;
        Require.that(isFactor, "peakFactor must be >= 1 and finite", peakFactor);
    }

    /**
     * Requests that come evenly over the whole day.
     *
     * @throws IllegalArgumentException if there is less than 1
     */
    public static CapacityPlan of(long requestsPerDay) {
        return new CapacityPlan(requestsPerDay, DAY, 1);
    }

    /**
     * The same requests in another part of the day.
     *
     * @throws IllegalArgumentException if {@code busy} is not 1 ns to {@link #DAY}
     */
    public CapacityPlan within(Duration busy) {
        return new CapacityPlan(requestsPerDay, busy, peakFactor);
    }

    /**
     * The same requests with another peak.
     *
     * @throws IllegalArgumentException if the factor is less than 1 or not finite
     */
    public CapacityPlan withPeak(double peakFactor) {
        return new CapacityPlan(requestsPerDay, busy, peakFactor);
    }

    /**
     * The peak factor if a share of the requests comes in a share of the time: {@code requests / time}. By Pareto's rule it
     * is 0.8 / 0.2 = 4.
     *
     * @param requests more than 0, at most 1
     * @param time more than 0, at most {@code requests}
     * @throws IllegalArgumentException if an argument is out of its range
     */
    public static double peakFactor(double requests, double time) {
        Require.that(requests > 0 && requests <= 1, "requests must be > 0 and <= 1", requests);
        Require.that(time > 0 && time <= requests, "time must be > 0 and <= " + requests, time);
        return requests / time;
    }

    /** The average requests per second: {@code requestsPerDay / busy}. */
    public long averageQps() {
        return up(BigDecimal.valueOf(requestsPerDay), seconds(busy));
    }

    /** The requests per second at the peak: {@code requestsPerDay * peakFactor / busy}. */
    public long peakQps() {
        return up(BigDecimal.valueOf(requestsPerDay).multiply(BigDecimal.valueOf(peakFactor)), seconds(busy));
    }

    /**
     * The machines needed at the peak: {@code peakQps / qpsPerMachine}.
     *
     * @param qpsPerMachine the requests per second of one machine in a load test, at least 1
     * @throws IllegalArgumentException if the argument is less than 1
     */
    public long machines(long qpsPerMachine) {
        Check.within("qpsPerMachine", qpsPerMachine, 1, Long.MAX_VALUE);
        return up(BigDecimal.valueOf(peakQps()), BigDecimal.valueOf(qpsPerMachine));
    }

    /**
     * The average requests in flight, by Little's law {@code L = lambda * W}; a lower concurrency limit refuses part of that
     * rate. The law holds for every distribution of arrivals and work, as long as no backlog grows (J. D. C. Little, "A Proof
     * for the Queuing Formula L = lambda W", Operations Research 9, 1961).
     *
     * @param qps lambda, granted requests per second, at least 1
     * @param inSystem W, the mean time from grant to release, 1 ns to 73 years
     * @throws IllegalArgumentException if an argument is out of its range
     */
    public static long concurrency(long qps, Duration inSystem) {
        Check.within("qps", qps, 1, Long.MAX_VALUE);
        Check.nanos("inSystem", inSystem);
        return up(BigDecimal.valueOf(qps).multiply(seconds(inSystem)), BigDecimal.ONE);
    }

    private static BigDecimal seconds(Duration duration) {
        return BigDecimal.valueOf(duration.toNanos(), 9);
    }

    private static long up(BigDecimal dividend, BigDecimal divisor) {
        BigInteger quotient = dividend.divide(divisor, 0, RoundingMode.CEILING).toBigInteger();
        return quotient.min(BigInteger.valueOf(Long.MAX_VALUE)).longValue();
    }
}
