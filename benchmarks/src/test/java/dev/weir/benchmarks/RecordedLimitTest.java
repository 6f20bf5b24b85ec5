package dev.weir.benchmarks;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The processor time and the bytes that a recorder may add to a request; all within one run, in turn. */
class RecordedLimitTest {
    private static final int OPERATIONS = 100_000;
    private static final int WARMUPS = 20;
    private static final int ROUNDS = 20;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static volatile Object seen;

    /** The least that an operation took in a round: other processes only add to it. */
    private record Least(double nanos, double bytes) {
        Least with(double otherNanos, double otherBytes) {
            return new Least(Math.min(nanos, otherNanos), Math.min(bytes, otherBytes));
        }
    }

    static Stream<Arguments> operations() {
        RecordedLimit limit = new RecordedLimit();
        RecordedLimit.Nothing nothing = new RecordedLimit.Nothing();
        RecordedLimit.Closed closed = new RecordedLimit.Closed();
        RecordedLimit.Counted counted = new RecordedLimit.Counted();
        RecordedLimit.Recording recorded = new RecordedLimit.Recording();
        NamedLimit.Work work = new NamedLimit.Work();
        return Stream.of(
                four(
                        "run",
                        () -> limit.floorRunNothing(nothing, work) < 0,
                        () -> limit.weirRunClosed(closed, work) < 0,
                        () -> limit.floorRunCounted(counted, work) < 0,
                        () -> limit.weirRunRecorded(recorded, work) < 0),
                four(
                        "permit",
                        () -> limit.floorPermitNothing(nothing),
                        () -> limit.weirPermitClosed(closed),
                        () -> limit.floorPermitCounted(counted),
                        () -> limit.weirPermitRecorded(recorded)),
                four(
                        "deny",
                        () -> limit.floorDenyNothing(nothing),
                        () -> limit.weirDenyClosed(closed),
                        () -> limit.floorDenyCounted(counted),
                        () -> limit.weirDenyRecorded(recorded)),
                four(
                        "rate",
                        () -> limit.floorRateNothing(nothing),
                        () -> limit.weirRateClosed(closed),
                        () -> limit.floorRateCounted(counted),
                        () -> limit.weirRateRecorded(recorded)));
    }

    private static Arguments four(
            String what, Supplier<?> nothing, Supplier<?> closed, Supplier<?> counted, Supplier<?> recorded) {
        return Arguments.of(what, List.of(nothing, closed, counted, recorded));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("operations")
    void aRecorderAddsNothingWhenClosedAndAtMost15NanosecondsAndNoBytesToCounting(
            String what, List<Supplier<?>> operations) {
        Least[] least = new Least[operations.size()];
        Arrays.fill(least, new Least(Double.MAX_VALUE, Double.MAX_VALUE));
        for (int round = 0; round < WARMUPS + ROUNDS; round++) {
            for (int i = 0; i < least.length; i++) {
                Least now = measured(operations.get(i));
                least[i] = round < WARMUPS ? least[i] : least[i].with(now.nanos(), now.bytes());
            }
        }
        String all = what + ", nothing, closed, counted, recorded: " + Arrays.toString(least);
        System.out.println(all);
        assertTrue(least[1].nanos() <= least[0].nanos() + 5, all); // counting alone adds 6 to 14
        assertTrue(least[3].nanos() <= least[2].nanos() + 15, all);
        assertTrue(least[1].bytes() <= least[0].bytes() + 0.5, all);
        assertTrue(least[3].bytes() <= least[2].bytes() + 0.5, all);
    }

    private static Least measured(Supplier<?> operation) {
        long bytes = THREADS.getCurrentThreadAllocatedBytes();
        long nanos = THREADS.getCurrentThreadCpuTime();
        for (int i = 0; i < OPERATIONS; i++) {
            seen = operation.get();
        }
        return new Least(
                (double) (THREADS.getCurrentThreadCpuTime() - nanos) / OPERATIONS,
                (double) (THREADS.getCurrentThreadAllocatedBytes() - bytes) / OPERATIONS);
    }
}
