package dev.weir.named.status;

import dev.weir.adaptive.ControlView;
import dev.weir.engine.LimiterView;
import dev.weir.executor.ExecutorLedger;
import dev.weir.queue.QueueView;
import dev.weir.spi.Registration;
import dev.weir.store.StoreStatus;
import java.util.function.Supplier;

/**
 * A listener to the parts of a {@code LimiterRegistry}, those that are there and those that come later, called by one thread at a
 * time and without a lock. It gets views, which read a part and cannot change or close it. What a method returns is closed when
 * the part goes, or the observer's registration is closed. What is thrown is ignored and counted.
 */
public interface RegistryObserver {
    /** A limiter is there. */
    default Registration onLimiter(LimiterView limiter) {
        return () -> {};
    }

    /** A queue is there. Its observers are told of permits that cannot be released. */
    default Registration onQueue(QueueView queue) {
        return () -> {};
    }

    /** An adaptive control is at work. */
    default Registration onControl(ControlView control) {
        return () -> {};
    }

    /** A limiter over a store is there, which tells its state. */
    default Registration onStoreLimiter(String name, Supplier<StoreStatus> status) {
        return () -> {};
    }

    /**
     * A name has an executor, or several: over its own threads, or over those of others.
     *
     * @param ledger tells the tasks of all executors of the name, as long as the registry is open
     */
    default Registration onExecutor(String name, Supplier<ExecutorLedger> ledger) {
        return () -> {};
    }
}
