package dev.weir.samples;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Ticker;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.warmup.Ramp;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/*
 * An instance starts with cold caches and takes a minute to warm up: at first it can bear 240 requests a second, in the
 * end 1,200. It gets 1,080 from the start, by callers who give up after half a second. Its limit of 500 at a time is right
 * for a warm instance; a cold one has far too many at once and works for those who have gone. With a ramp before the limit
 * it is useful from the first second on. In simulated time, both at once: answers in time in each five seconds.
 *
 * Expected output:
 *
 *     second  without a ramp         with a ramp            its limit
 *          5                   158   ###             1400     86
 *         10                     0   ####            1800    122
 *         15                     0   #####           2200    163
 *         20                     0   ######          2600    199
 *         25                     0   #######         3000    235
 *         30                     0   ########        3400    271
 *         35                     0   #########       3800    311
 *         40                     0   ##########      4200    347
 *         45                     0   ###########     4600    383
 *         50  #####           2328   ############    5000    424
 *         55  #############   5400   #############   5400    460
 *         60  ##############  5800   ##############  5786    496
 *         65  #############   5448   #############   5400    500
 *         70  #############   5400   #############   5400    500
 */
public final class S11_ColdStart {
    private static final int FULL = 500;
    private static final long MILLI = 1_000_000;
    private static final Duration WARM_AFTER = Duration.ofSeconds(60);
    private static final Duration TIMEOUT = Duration.ofMillis(500);

    /** An instance: one line, served at the speed that it has by now. */
    private static final class Instance implements Ticker {
        private record Call(Permit permit, long arrived) {}

        private final ManagedLimiter limiter =
                Limiters.builder("service", new Semaphore(FULL)).ticker(this).build();
        private final Deque<Call> line = new ArrayDeque<>();
        private double served;
        private long now;
        private int inTime;

        /** A millisecond: one or two come, some are served. */
        void pass(int arriving) {
            for (int i = 0; i < arriving; i++) {
                if (limiter.tryAcquire() instanceof Permit permit) {
                    line.addLast(new Call(permit, now));
                }
            }
            now += MILLI;
            double warmth = Math.min(1, (double) now / WARM_AFTER.toNanos());
            served += 1.2 * (0.2 + 0.8 * warmth);
            while (served >= 1 && !line.isEmpty()) {
                served--;
                Call call = line.removeFirst();
                boolean wanted = now - call.arrived() <= TIMEOUT.toNanos();
                call.permit().release(wanted ? Outcome.SUCCESS : Outcome.DROPPED);
                inTime += wanted ? 1 : 0;
            }
            served = Math.min(served, 1);
        }

        int inTime() {
            int count = inTime;
            inTime = 0;
            return count;
        }

        @Override
        public long read() {
            return now;
        }
    }

    private S11_ColdStart() {}

    public static void main(String[] args) {
        Instance plain = new Instance();
        Instance ramped = new Instance();
        AdaptiveControl control = AdaptiveControl.builder(ramped.limiter, Ramp.to(FULL, WARM_AFTER))
                .ticker(ramped)
                .build();
        System.out.println("second  without a ramp         with a ramp            its limit");
        for (int second = 1; second <= 70; second++) {
            for (int milli = 1; milli <= 1000; milli++) {
                int arriving = milli % 25 < 2 ? 2 : 1;
                plain.pass(arriving);
                ramped.pass(arriving);
            }
            if (second % 5 == 0) {
                System.out.printf(
                        "%6d  %s  %s  %4d%n",
                        second,
                        bar(plain.inTime()),
                        bar(ramped.inTime()),
                        control.snapshot().limit());
            }
        }
        control.close();
    }

    /** A mark for each 400, and the number. */
    private static String bar(int count) {
        return String.format("%-14s %5d ", "#".repeat(count / 400), count);
    }
}
