package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;

/** A server at twice its capacity for a minute, in virtual time: the same arrivals each time. */
final class Overload {
    static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);
    static final Duration CALLER_GONE = Duration.ofSeconds(1);
    static final Duration LEFT_BY_THE_WORK = Duration.ofMillis(900);

    private static final int AT_ONCE = 100;
    private static final long WORK = 100_000_000;
    private static final long GONE = CALLER_GONE.toNanos();
    private static final long MINUTE = 60_000_000_000L;
    private static final long CAPACITY = AT_ONCE * MINUTE / WORK;
    private static final long MEAN_GAP = WORK / AT_ONCE / 2;

    /**
     * What came of it.
     *
     * @param waits of those served in time within the minute, in nanoseconds, the shortest first
     * @param late how many were served within the minute, too late
     */
    record Row(long[] waits, int late, int maxWaiting, QueueSnapshot end) {
        /** In per cent of the capacity, rounded down. */
        long goodput() {
            return 100 * waits.length / CAPACITY;
        }

        /** In per cent of the capacity, rounded down. */
        long inVain() {
            return 100 * late / CAPACITY;
        }

        /** In milliseconds. */
        long wait(int percent) {
            return waits[(waits.length - 1) * percent / 100] / 1_000_000;
        }
    }

    private final VirtualTime time = new VirtualTime();
    private final SplittableRandom random = new SplittableRandom(42);
    private final AdmissionQueue queue;
    private final Duration timeout;
    private final long[] waits = new long[(int) CAPACITY];
    private int good;
    private int late;
    private int maxWaiting;

    private Overload(QueueSpec spec, Duration timeout) {
        this.timeout = timeout;
        ManagedLimiter limiter =
                Limiters.builder("server", new Semaphore(AT_ONCE)).ticker(time).build();
        queue = AdmissionQueue.builder("server", limiter, spec)
                .ticker(time)
                .alarm(time::alarm)
                .executor(Runnable::run)
                .build();
    }

    static Row run(QueueSpec spec, Duration timeout) {
        Overload overload = new Overload(spec, timeout);
        overload.time.alarm(1, overload::arrives);
        overload.time.advance(MINUTE);
        long[] waits = Arrays.copyOf(overload.waits, overload.good);
        Arrays.sort(waits);
        return new Row(waits, overload.late, overload.maxWaiting, overload.queue.snapshot());
    }

    private void arrives() {
        time.alarm(1 + Math.round(-MEAN_GAP * StrictMath.log(1 - random.nextDouble())), this::arrives);
        long arrived = time.read();
        queue.acquireAsync(Request.ONE, timeout).thenAccept(decision -> begins(decision, arrived));
        maxWaiting = Math.max(maxWaiting, queue.snapshot().length());
    }

    private void begins(Decision decision, long arrived) {
        if (decision instanceof Permit permit) {
            long waited = time.read() - arrived;
            time.alarm(WORK, () -> finishes(permit, waited));
        }
    }

    private void finishes(Permit permit, long waited) {
        if (waited + WORK <= GONE) {
            waits[good++] = waited;
        } else {
            late++;
        }
        permit.release(Outcome.SUCCESS);
    }
}
