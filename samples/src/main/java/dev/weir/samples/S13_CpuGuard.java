package dev.weir.samples;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Ticker;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.Bounds;
import dev.weir.adaptive.controller.Crest;
import dev.weir.adaptive.controller.LoadGuard;
import dev.weir.adaptive.controller.Min;
import dev.weir.adaptive.signal.Sensors;
import dev.weir.adaptive.signal.Signals;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import java.util.ArrayDeque;
import java.util.Deque;

/*
 * A service shares its eight cores with a nightly batch, which takes five of them from second 10 to second 20. The batch shall
 * not be starved: the CPU guard takes the limit down while the processor is busy beyond 90 per cent. The default controller,
 * which looks at the service alone, finds its way back afterwards; the guard lets the limit grow no further than it is used.
 * The smaller of the two answers is in force. In simulated time; a real service reads the CPU by `Signals.cpu()` and lets
 * `Sensors.watching(...)` keep the rounds.
 *
 * Expected output:
 *
 *     second   cpu  limit  because
 *        2.5   78%     16  crest: calm, knee 10.2
 *        5.0   78%     16  crest: calm, knee 10.2
 *        7.5   78%     16  crest: calm, knee 10.2
 *       10.0   78%     16  crest: calm, knee 10.2
 *       12.5  100%      8  load guard: cpu 1.00 above 0.90
 *       15.0   75%      2  load guard: cpu 0.75 below 0.85
 *       17.5   87%      2  load guard: cpu 0.87 within range
 *       20.0   87%      2  load guard: cpu 0.86 within range
 *       22.5   70%      7  load guard: cpu 0.62 below 0.85
 *       25.0   78%     12  load guard: cpu 0.78 below 0.85
 *       27.5   78%     13  crest: calm, knee 5.2
 *       30.0   78%     13  crest: calm, knee 5.2
 */
public final class S13_CpuGuard {
    private static final int CORES = 8;
    private static final long MILLI = 1_000_000;
    private static final int WORK_MILLIS = 5;

    /** A machine: what is inside shares the cores that the batch leaves; each call takes 5 ms of one. */
    private static final class Machine implements Ticker {
        private final ManagedLimiter limiter =
                Limiters.builder("service", new Semaphore(16)).ticker(this).build();
        private final Deque<Permit> inside = new ArrayDeque<>();
        private long now;
        private double progress;
        private double busy;

        double cpu() {
            return busy;
        }

        /** A millisecond: one or two come, some are served. */
        void pass(int arriving, int batch) {
            for (int i = 0; i < arriving; i++) {
                if (limiter.tryAcquire() instanceof Permit permit) {
                    inside.addLast(permit);
                }
            }
            now += MILLI;
            double used = Math.min(inside.size(), (double) (CORES * CORES) / (CORES + batch));
            busy += 0.01 * ((used + Math.min(batch, CORES - used)) / CORES - busy);
            progress += used / WORK_MILLIS;
            while (progress >= 1 && !inside.isEmpty()) {
                progress--;
                inside.removeFirst().release(Outcome.SUCCESS);
            }
        }

        @Override
        public long read() {
            return now;
        }
    }

    private S13_CpuGuard() {}

    public static void main(String[] args) {
        Machine machine = new Machine();
        Sensors sensors = Sensors.builder()
                .watch(Signals.of("cpu", machine::cpu))
                .ticker(machine)
                .readingOn(Runnable::run)
                .build();
        // #region guard
        AdaptiveControl control = AdaptiveControl.builder(
                        machine.limiter, Min.of(new Crest(), LoadGuard.on("cpu", 0.85, 0.9)))
                .bounds(Bounds.of(1, 200))
                .signals(sensors::readings)
                .ticker(machine)
                .build();
        // #endregion guard
        System.out.println("second   cpu  limit  because");
        for (int milli = 1; milli <= 30_000; milli++) {
            machine.pass(milli % 4 == 0 ? 2 : 1, milli > 10_000 && milli <= 20_000 ? 5 : 0);
            if (milli % 500 == 0) {
                sensors.round();
            }
            if (milli % 2_500 == 0) {
                System.out.printf(
                        "%6.1f  %3.0f%%  %5d  %s%n",
                        milli / 1000.0,
                        100 * machine.cpu(),
                        machine.limiter.dial().limit(),
                        control.snapshot().why());
            }
        }
        control.close();
        sensors.close();
    }
}
