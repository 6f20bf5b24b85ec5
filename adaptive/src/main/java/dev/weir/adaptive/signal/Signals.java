package dev.weir.adaptive.signal;

import dev.weir.Ticker;
import dev.weir.adaptive.Signal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.DoubleSupplier;

/**
 * The factory of signals: {@link #cpu()}, {@link #memory()}, {@link #gc()}, {@link #throttled()}, {@link #pressure()}, the
 * {@link #lag} of an executor, and any function. Each call creates one with a state of its own: let one {@link Sensors} read it,
 * by one thread at a time. A reading is NaN where there is none, never a made-up 0. {@link SensorHealth#source()} says where a
 * reading comes from, with a confidence from 0 (nothing is read) to 1 (exact). The costs are medians on a shared two-core AMD
 * EPYC virtual machine, JDK 17. No argument may be null.
 */
public final class Signals {
    private static final Path ROOT = Path.of("/");

    private Signals() {}

    /**
     * A signal that reads this function.
     *
     * @param reading see {@link Signal#read()}
     */
    public static Signal of(String name, DoubleSupplier reading) {
        Objects.requireNonNull(reading, "reading");
        return new Named(Objects.requireNonNull(name, "name"), reading);
    }

    private record Named(String name, DoubleSupplier reading) implements Signal {
        @Override
        public double read() {
            return reading.getAsDouble();
        }
    }

    /**
     * "cpu": the CPU time used since the last reading as a share of what this process may use. 1 is all of it; bursts may
     * read a little more. The first reading is NaN. Read it every 500 ms or less often. Read from the first of these that
     * exists:
     *
     * <ol>
     *   <li>the CPU quota of the process's control group (v2 or v1) or of a group above it: the use of the group relative to
     *       its quota; of several, the one nearest to its quota counts. A quota of more cores than the process may use is
     *       ignored. Where v1 counts the use of other processes than it limits, the process's own CPU time is taken;
     *   <li>the process's CPU time relative to the available processors: exact, but it does not see other processes;
     *   <li>the CPU of the host, by OSHI, which starts only then, on a thread of its own: it does not see any quota.
     * </ol>
     *
     * <p>A reading reads files and does not block. It takes about 35 us with a quota of v2, 20 us with processors.
     */
    public static Signal cpu() {
        return new CpuSignal(ROOT, Ticker.system());
    }

    /**
     * "memory": the memory in use as a share of what this process may use. Read from the first of these that exists:
     *
     * <ol>
     *   <li>the memory limit of the process's control group (v2 or v1) or of a group above it: what the group uses, without
     *       cached files that were not used recently, relative to its limit; of several, the one nearest to its limit counts;
     *   <li>the heap relative to its maximum; garbage that is not yet collected counts as used, so {@link #smoothed} helps;
     *   <li>the memory of the host, by OSHI, which starts only then, on a thread of its own: it does not see any limit.
     * </ol>
     *
     * <p>A reading reads files and does not block. It takes about 30 us with a limit of v2, 70 us for the heap below two v1
     * groups without a limit.
     */
    public static Signal memory() {
        return new MemorySignal(ROOT);
    }

    /**
     * "throttled": the share of its periods since the last reading in which the process's control group used up its CPU quota
     * and was stopped, 0 to 1; of several groups one above the other, the largest share. 0 if no period passed in between: an
     * idle group has none. NaN at the first reading and where there is no quota.
     *
     * <p>A reading reads files and does not block. It takes about 25 us.
     */
    public static Signal throttled() {
        return new ThrottledSignal(ROOT);
    }

    /**
     * "pressure": the share of the last 10 s in which some thread of the host was ready to run but had no CPU, 0 to 1, as the
     * kernel averages it ({@code some avg10} of {@code /proc/pressure/cpu}). NaN where the kernel has no such file: other
     * systems, and Linux before 4.20 or without {@code psi}.
     *
     * <p>A reading reads a file and does not block; any thread may read. It takes about 20 us.
     */
    public static Signal pressure() {
        return new PressureSignal(ROOT);
    }

    /**
     * "gc": the share of the time since the last reading in which garbage collectors stopped the process, 0 to 1, in steps of
     * a millisecond. Concurrent work of collectors ("... Cycles" of ZGC and Shenandoah) does not count. NaN at the first
     * reading and where no collector reports its time.
     *
     * <p>A reading does not block. It takes about 0.4 us.
     */
    public static Signal gc() {
        return new GcSignal(Ticker.system());
    }

    /**
     * The time that an executor, a pool or an event loop lets tasks wait, in seconds: each reading sends an empty task and returns
     * how long the one before it waited to run. While that one still waits, its age counts as soon as it exceeds the last
     * reading, and no other is sent. NaN at the first reading.
     *
     * <p>A reading blocks only if the executor does. If the executor refuses the task, {@link Signal#read()} throws: a full
     * pool shows as a sensor that throws. A reading takes about 0.2 us and what the executor takes for a task.
     *
     * @param ticker the clock that measures the wait
     */
    public static Signal lag(String name, Executor executor, Ticker ticker) {
        return new LagSignal(name, executor, ticker);
    }

    /**
     * The same signal with exponential smoothing by elapsed time. With {@code T} the settling time and {@code d} the time
     * since the last usable reading,
     *
     * <pre>{@code value += (1 - 10^(-d / T)) * (reading - value)}</pre>
     *
     * so that after a step the distance to the new level has shrunk to {@code 10^(-t / T)} at any reading a time {@code t}
     * later, whatever the intervals of the readings: to a tenth at the first one not earlier than {@code T}. {@code T} is
     * {@code ln 10 = 2.3} time constants.
     *
     * <p>A reading that is not finite returns NaN and leaves the value as it is; the first usable one is taken as it is, and
     * after a long gap the next one nearly so. A clock that goes back counts as no time. The name is that of the signal. It
     * adds about 0.3 us to a reading.
     *
     * @param within the time in which nine tenths of a step are reached
     * @throws IllegalArgumentException if {@code within} is not more than 0
     */
    public static Signal smoothed(Signal signal, Duration within) {
        return new Smoothed(signal, within, Ticker.system());
    }

    /**
     * A signal mapped to a grade from 0 to 1 with hysteresis, so that a reading that wavers does not make the grade waver. It
     * has two slopes of the same width:
     *
     * <pre>{@code
     * rising  = (reading - low) / (high - low)          within 0 and 1: from low to high
     * falling = (reading - release) / (high - low)      the same, earlier by low - release
     * grade   = the last grade, but at least rising and at most falling
     * }</pre>
     *
     * While the reading rises, the grade is 0 up to {@code low} and 1 from {@code high}; while it falls, the grade stays until
     * the reading has fallen by {@code low - release}, then falls as steadily as it rose, and is 0 again at {@code release}. It
     * jumps only if the reading does.
     *
     * <p>A reading that is not finite returns NaN and leaves the grade as it is. The name is that of the signal. It adds about
     * 0.2 us to a reading.
     *
     * @param release the reading at which a falling grade is 0 again, at most {@code low}
     * @param low the reading up to which a rising grade is 0
     * @param high the reading from which the grade is 1, more than {@code low}
     * @throws IllegalArgumentException if these are not finite and in this order
     */
    public static Signal graded(Signal signal, double release, double low, double high) {
        return new Hysteresis(signal, release, low, high);
    }
}
