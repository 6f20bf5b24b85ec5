package dev.weir.benchmarks.store;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The time of one contender: a part that is not measured, in which batches and caches get to what they are under load, and one
 * that is.
 */
final class Turn {
    private static final int IN_FLIGHT = 128;
    /** Of the fastest, the latencies of one decision in so many are kept. */
    private static final int ONE_IN = 16;

    private static final int MOST_TIMED = 1 << 20;
    private static final int RATE = 1_000;
    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final Random random = new Random(20_261_126);
    private final int[] keys = random.ints(1 << 16, 0, Integer.MAX_VALUE).toArray();
    private final RedisFigures server;
    private final long nanos;

    /**
     * Turns of one length.
     *
     * @param nanos of the part that is measured
     */
    Turn(RedisFigures server, long nanos) {
        this.server = server;
        this.nanos = nanos;
    }

    /**
     * The figures of one turn.
     *
     * @param perSecond decisions that were granted
     * @param redisMicros processor time of the server for each of them
     * @param clientMicros that of this process
     * @param refused the share of all decisions
     */
    record Figures(
            double perSecond,
            double redisMicros,
            double clientMicros,
            double p50Millis,
            double p99Millis,
            double refused) {}

    /**
     * As many as the contender answers, with 128 of them on their way at any time.
     *
     * @param settles the least time before the measurement
     */
    Figures full(Contender contender, int count, long settles) throws InterruptedException {
        Requests requests = new Requests(contender, MOST_TIMED);
        Semaphore inFlight = new Semaphore(IN_FLIGHT);
        long asked = full(requests, count, inFlight, Math.max(settles, nanos / 2), 0);
        Measure measure = new Measure(requests);
        full(requests, count, inFlight, nanos, asked);
        Figures figures = measure.end();
        contender.flush();
        inFlight.acquire(IN_FLIGHT);
        requests.check();
        return figures;
    }

    private long full(Requests requests, int count, Semaphore inFlight, long time, long first)
            throws InterruptedException {
        long begin = System.nanoTime();
        long asked = first;
        while (System.nanoTime() - begin < time) {
            inFlight.acquire();
            requests.ask(keys[(int) asked & (keys.length - 1)] % count, asked % ONE_IN == 0, inFlight);
            asked++;
        }
        return asked;
    }

    /**
     * A thousand a second that are measured, at random times, whether others are answered or not.
     *
     * @param load others a second, at random times too
     */
    Figures steady(Contender contender, int count, int load) throws InterruptedException {
        Requests requests = new Requests(contender, MOST_TIMED);
        Semaphore answered = new Semaphore(0);
        int asked = steady(requests, count, load, answered, nanos / 2);
        Measure measure = new Measure(requests);
        asked += steady(requests, count, load, answered, nanos);
        Figures figures = measure.end();
        contender.flush();
        answered.acquire(asked);
        requests.check();
        return figures;
    }

    private int steady(Requests requests, int count, int load, Semaphore answered, long time) {
        long begin = System.nanoTime();
        double due = 0;
        int asked = 0;
        while (true) {
            due += -Math.log(1 - random.nextDouble()) * NANOS / (RATE + load);
            if (due >= time) {
                return asked;
            }
            for (long left = (long) due; left > 0; left = (long) due - (System.nanoTime() - begin)) {
                if (left < (long) due) {
                    LockSupport.parkNanos(left);
                }
            }
            requests.ask(random.nextInt(count), random.nextInt(RATE + load) < RATE, answered);
            asked++;
        }
    }

    /** The use of both processes since it was made, and the answers since then. */
    private final class Measure {
        private final Requests requests;
        private final double redis;
        private final long client;
        private final long begin;

        Measure(Requests requests) {
            this.requests = requests;
            redis = server.cpuMicros();
            client = system.getProcessCpuTime();
            begin = System.nanoTime();
            requests.reset();
        }

        Figures end() {
            long answered = Math.max(1, requests.answered());
            double refused = requests.refused();
            double granted = Math.max(1, answered - refused);
            double seconds = (System.nanoTime() - begin) / NANOS;
            double used = system.getProcessCpuTime() - client;
            double[] percentiles = requests.percentiles(0.5, 0.99);
            return new Figures(
                    granted / seconds,
                    (server.cpuMicros() - redis) / granted,
                    used / 1e3 / granted,
                    percentiles[0],
                    percentiles[1],
                    refused / answered);
        }
    }
}
