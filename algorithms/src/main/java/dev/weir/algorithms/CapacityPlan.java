package dev.weir.algorithms;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.Duration;

/**
 * A first estimate of limits, from what is known before a service runs: requests a day, the hours they fall in and how
 * far the peak stands above the average. It counts one service alone and no sudden sales; measure, then turn the dial.
 * All results are rounded up, and saturate at {@link Long#MAX_VALUE}.
 *
 * <p>Three million page views a day by the 80/20 rule, on machines that were load-tested to bear 58 a second:
 *
 * <pre>{@code
 * CapacityPlan plan = CapacityPlan.of(3_000_000).withPeak(CapacityPlan.peakFactor(0.8, 0.2));
 * plan.averageQps();                                          // 35
 * plan.peakQps();                                             // 139
 * plan.machines(58);                                          // 3
 * CapacityPlan.concurrency(58, Duration.ofMillis(200));       // 12, the limit of each
 * }</pre>
 *
 * @param requestsPerDay page views, times the requests each makes; at least 1
 * @param busy the part of the day in which they come, 1 ns to {@link #DAY}
 * @param peakFactor how many times the average the peak is; at least 1 and finite
 */
public record CapacityPlan(long requestsPerDay, Duration busy, double peakFactor) {
    /** A whole day, 86,400 s. */
    public static final Duration DAY = Duration.ofDays(1);

    /** The part of a day in which a national service is used, 40,000 s by rule of thumb. */
    public static final Duration DAYTIME = Duration.ofSeconds(40_000);

    /** Checks the components. */
    public CapacityPlan {
        Check.within("requestsPerDay", requestsPerDay, 1, Long.MAX_VALUE);
        Check.nanos("busy", busy);
        if (busy.compareTo(DAY) > 0) {
            throw new IllegalArgumentException("busy must be <= " + DAY + ", was " + busy);
        }
        if (!(peakFactor >= 1 && peakFactor < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("peakFactor must be >= 1 and finite, was " + peakFactor);
        }
    }

    /** So many requests, evenly over the whole day. */
    public static CapacityPlan of(long requestsPerDay) {
        return new CapacityPlan(requestsPerDay, DAY, 1);
    }

    /** The same requests in another part of the day. */
    public CapacityPlan within(Duration busy) {
        return new CapacityPlan(requestsPerDay, busy, peakFactor);
    }

    /** The same requests with another peak. */
    public CapacityPlan withPeak(double peakFactor) {
        return new CapacityPlan(requestsPerDay, busy, peakFactor);
    }

    /**
     * The peak factor where a share of the requests falls into a share of the time: {@code requests / time}, by
     * Pareto's rule 0.8 / 0.2 = 4.
     *
     * @param requests more than 0, at most 1
     * @param time more than 0, at most {@code requests}
     */
    public static double peakFactor(double requests, double time) {
        if (!(requests > 0 && requests <= 1)) {
            throw new IllegalArgumentException("requests must be > 0 and <= 1, was " + requests);
        }
        if (!(time > 0 && time <= requests)) {
            throw new IllegalArgumentException("time must be > 0 and <= " + requests + ", was " + time);
        }
        return requests / time;
    }

    /** Average requests a second: {@code requestsPerDay / busy}. */
    public long averageQps() {
        return up(BigDecimal.valueOf(requestsPerDay), seconds(busy));
    }

    /** Requests a second at the peak, which the service must stand: {@code requestsPerDay * peakFactor / busy}. */
    public long peakQps() {
        return up(BigDecimal.valueOf(requestsPerDay).multiply(BigDecimal.valueOf(peakFactor)), seconds(busy));
    }

    /**
     * Machines for the peak: {@code peakQps / qpsPerMachine}.
     *
     * @param qpsPerMachine what one machine bore in a load test, at least 1
     */
    public long machines(long qpsPerMachine) {
        Check.within("qpsPerMachine", qpsPerMachine, 1, Long.MAX_VALUE);
        return up(BigDecimal.valueOf(peakQps()), BigDecimal.valueOf(qpsPerMachine));
    }

    /**
     * Requests in flight on average, by Little's law {@code L = lambda * W}; a concurrency limit below it turns away
     * part of that rate. It holds for every distribution of arrivals and work, as long as no backlog grows (J. D. C.
     * Little, "A Proof for the Queuing Formula L = lambda W", Operations Research 9, 1961).
     *
     * @param qps lambda, requests admitted a second, at least 1
     * @param inSystem W, the mean time from admission to answer, 1 ns to 73 years
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
