package dev.weir.adaptive.signal;

import dev.weir.Ticker;
import dev.weir.adaptive.Signal;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * The signal "gc": the share of the time since the last reading in which garbage collectors stopped this process, 0 to 1, without
 * a unit, in steps of a millisecond. NaN at the first reading, and where no collector reports its time.
 *
 * <p>It reads the JVM's own counters, so it is the same inside a container. A reading takes about 0.4 us and does not block.
 * One thread at a time reads. {@link Signals#gc()} says more.
 */
final class GcSignal implements Signal {
    private static final double NANOS_PER_MILLI = 1e6;

    private final Ticker ticker;
    private final LongSupplier collecting;
    private final CounterRate pauses = new CounterRate();

    GcSignal(Ticker ticker) {
        this(ticker, ManagementFactory.getGarbageCollectorMXBeans());
    }

    private GcSignal(Ticker ticker, List<GarbageCollectorMXBean> collectors) {
        this(ticker, () -> millis(collectors));
    }

    GcSignal(Ticker ticker, LongSupplier collectingMillis) {
        this.ticker = Objects.requireNonNull(ticker, "ticker");
        this.collecting = collectingMillis;
    }

    private static long millis(List<GarbageCollectorMXBean> collectors) {
        long sum = -1;
        for (GarbageCollectorMXBean collector : collectors) {
            long millis = collector.getCollectionTime();
            if (millis >= 0 && !collector.getName().endsWith("Cycles")) {
                sum = Math.max(0, sum) + millis;
            }
        }
        return sum;
    }

    @Override
    public String name() {
        return "gc";
    }

    @Override
    public double read() {
        return Math.min(1, pauses.perNano(collecting.getAsLong(), ticker.read()) * NANOS_PER_MILLI);
    }
}
