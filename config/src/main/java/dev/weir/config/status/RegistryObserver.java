package dev.weir.config.status;

import dev.weir.adaptive.AdaptiveControl;
import dev.weir.distributed.ClusterLimiter;
import dev.weir.engine.ManagedLimiter;
import dev.weir.executor.TaskCounts;
import dev.weir.queue.AdmissionQueue;
import dev.weir.spi.Registration;

/**
 * A listener to the parts of a {@code LimiterRegistry}, those that are there and those that come later, called by one thread at a
 * time and without a lock. What a method returns is closed when the part goes, or the observer's registration is closed. What is thrown is
 * ignored and counted.
 */
public interface RegistryObserver {
    /** A limiter is there. */
    default Registration onLimiter(ManagedLimiter limiter) {
        return () -> {};
    }

    /** A queue is there. */
    default Registration onQueue(AdmissionQueue queue) {
        return () -> {};
    }

    /** An adaptive control is at work. */
    default Registration onControl(AdaptiveControl control) {
        return () -> {};
    }

    /** A limiter over a store is there. */
    default Registration onClusterLimiter(ClusterLimiter limiter) {
        return () -> {};
    }

    /**
     * A name has an executor, or several: over its own threads, or over those of others.
     *
     * @param tasks of all executors of the name, as long as the registry is open
     */
    default Registration onExecutor(String name, TaskCounts tasks) {
        return () -> {};
    }
}
