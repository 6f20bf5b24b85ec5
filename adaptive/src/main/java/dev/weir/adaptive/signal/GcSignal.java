package dev.weir.adaptive.signal;

import dev.weir.Ticker;
import dev.weir.adaptive.Signal;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;

/** The signal of {@link Signals#gc()}, from the JVM's own counters. One thread at a time reads. */
final class GcSignal implements Signal {
    private static final double NANOS_PER_MILLI = 1e6;

    private final Ticker ticker;
    private final LongSupplier collecting;
    private final CounterRate pauses = new CounterRate();

    GcSignal(Ticker ticker) {
        this(ticker, millis(ManagementFactory.getGarbageCollectorMXBeans()));
    }

    GcSignal(Ticker ticker, LongSupplier collectingMillis) {
        this.ticker = Objects.requireNonNull(ticker, "ticker");
        this.collecting = collectingMillis;
    }

    private static LongSupplier millis(List<GarbageCollectorMXBean> collectors) {
        return () -> collectors.stream()
                .filter(collector -> !collector.getName().endsWith("Cycles"))
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .filter(millis -> millis >= 0)
                .reduce(Long::sum)
                .orElse(-1);
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
