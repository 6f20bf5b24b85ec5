package dev.weir.console;

import dev.weir.Rejection.Reason;
import dev.weir.Ticker;
import dev.weir.engine.Counts;
import dev.weir.engine.LimiterView;
import dev.weir.engine.LimiterView.Counting;
import dev.weir.engine.Snapshot;
import dev.weir.executor.ExecutorLedger;
import dev.weir.named.status.LimitStatus;
import dev.weir.named.status.RegistryObserver;
import dev.weir.spi.Registration;
import dev.weir.spi.StrategySpec;
import dev.weir.store.StoreStatus;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The parts of a registry that count, by name, while somebody looks at them. Thread-safe. */
final class CountedParts implements RegistryObserver {
    private final Map<String, Counting> limiters = new ConcurrentHashMap<>();
    private final Map<String, Supplier<StoreStatus>> stored = new ConcurrentHashMap<>();
    private final Map<String, Supplier<ExecutorLedger>> executors = new ConcurrentHashMap<>();

    /* Of the names with a limiter in this process. */
    private final Map<String, Holding> holding = new ConcurrentHashMap<>();

    private record Holding(StrategySpec spec, boolean holds) {}

    /** Requests that were granted, and all others, since a part was first seen here. Never fall, but when a part goes. */
    record Totals(long admitted, long refused) {}

    @Override
    public Registration onLimiter(LimiterView limiter) {
        Counting counting = limiter.count();
        limiters.put(limiter.name(), counting);
        return () -> {
            limiters.remove(limiter.name(), counting);
            holding.remove(limiter.name());
            counting.close();
        };
    }

    @Override
    public Registration onStoreLimiter(String name, Supplier<StoreStatus> status) {
        return added(stored, name, status);
    }

    @Override
    public Registration onExecutor(String name, Supplier<ExecutorLedger> ledger) {
        return added(executors, name, ledger);
    }

    private static <T> Registration added(Map<String, Supplier<T>> parts, String name, Supplier<T> part) {
        parts.put(name, part);
        return () -> parts.remove(name, part);
    }

    @Nullable
    Counts counts(String name) {
        Counting counting = limiters.get(name);
        return counting == null ? null : counting.counts();
    }

    @Nullable
    StoreStatus stored(String name) {
        return read(stored, name);
    }

    @Nullable
    ExecutorLedger executor(String name) {
        return read(executors, name);
    }

    private static <T> @Nullable T read(Map<String, Supplier<T>> parts, String name) {
        Supplier<T> part = parts.get(name);
        return part == null ? null : part.get();
    }

    /** True if permits of the limiter in this process are held until they are released; false of a rate. */
    boolean holds(LimitStatus status) {
        Snapshot limiter = status.limiter();
        if (limiter == null) {
            return false;
        }
        Holding last = holding.get(status.name());
        if (last == null || last.spec != limiter.spec()) {
            // A strategy of its own: only its traits are read.
            last = new Holding(
                    limiter.spec(),
                    limiter.spec().create(Ticker.system()).traits().holds());
            holding.put(status.name(), last);
        }
        return last.holds;
    }

    /** By all parts of the name. */
    Totals totals(String name) {
        Counts counts = counts(name);
        if (counts != null) {
            return new Totals(
                    counts.admitted(),
                    Stream.of(Reason.values()).mapToLong(counts::refused).sum());
        }
        StoreStatus status = stored(name);
        if (status == null) {
            return new Totals(0, 0);
        }
        long refused =
                status.refused().values().stream().mapToLong(Long::longValue).sum();
        return new Totals(status.granted(), refused);
    }
}
