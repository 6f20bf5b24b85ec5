package dev.weir.testkit;

import com.sun.management.OperatingSystemMXBean;
import dev.weir.Ticker;
import java.lang.StackWalker.StackFrame;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.IntPredicate;

/**
 * The processor time of this process that a test spends on seeds or rounds, from {@link Stress#seconds}. A test does not stop
 * below its floor, so a slow machine proves that much too; then it prints how many there were. The time of other processes
 * does not count. Thread-safe.
 */
public final class CpuBudget {
    private final long nanos;

    CpuBudget(double seconds) {
        this.nanos = (long) (seconds * 1e9);
    }

    /**
     * Runs a property for seeds in a row until the time is spent, as {@link Seed#forAll} does for a number of them.
     *
     * @param floor the least number of seeds
     * @throws AssertionError naming the seed, if the property throws
     */
    public void forAll(int floor, Consumer<SplittableRandom> property) {
        long start = spent();
        print(Seed.forAll(unspent(floor, start), property), "seeds", start);
    }

    /**
     * Repeats a round until the time is spent.
     *
     * @param floor the least number of rounds
     * @return the number of rounds
     * @throws X what a round throws
     */
    public <X extends Exception> int repeat(int floor, Round<X> round) throws X {
        long start = spent();
        IntPredicate unspent = unspent(floor, start);
        int done = 0;
        while (unspent.test(done)) {
            round.run(done++);
        }
        print(done, "rounds", start);
        return done;
    }

    private IntPredicate unspent(int floor, long start) {
        return done -> done < floor || spent() - start < nanos;
    }

    /** The processor time of this process; the time elapsed, where the system does not know it. */
    private static long spent() {
        long cpu =
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
        return cpu == -1 ? Ticker.system().read() : cpu;
    }

    private static void print(int done, String what, long start) {
        StackFrame test = Seed.test();
        String name = Seed.testClass(test).replaceFirst(".*[.]", "") + '.' + test.getMethodName();
        double seconds = (spent() - start) / 1e9;
        System.out.println(String.format(Locale.ROOT, "%s: %d %s in %.1f CPU seconds", name, done, what, seconds));
    }

    /**
     * A step of a test that is repeated.
     *
     * @param <X> what it throws
     */
    @FunctionalInterface
    public interface Round<X extends Exception> {
        /**
         * Runs once.
         *
         * @param round from 0
         * @throws X to end the test
         */
        void run(int round) throws X;
    }
}
