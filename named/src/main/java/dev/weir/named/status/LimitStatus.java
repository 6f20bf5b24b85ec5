package dev.weir.named.status;

import dev.weir.adaptive.ControlSnapshot;
import dev.weir.engine.Snapshot;
import dev.weir.keyed.HeavyHitters;
import dev.weir.queue.QueueSnapshot;
import dev.weir.share.ShareStatus;
import dev.weir.spi.StrategySpec;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of one name of a {@code LimiterRegistry} at about one instant. The parts are not read at the same moment.
 *
 * @param name the name
 * @param revision grows with each change of the settings that code, documents and overrides want for the name, and is higher in a
 *     later process than in this one if its clock is; at most 2^53 until the year 2255. Settings that are pending have a higher
 *     one. It is of this process only: do not compare those of two instances. 0 = these are several names
 * @param settings the settings in force, by path: {@code "queue.max-wait"} -> {@code "200ms"}; empty for a default of the code,
 *     or if it is removed
 * @param removed whether the name is removed, or the registry closed: requests are refused as {@code CANCELLED}
 * @param orphan whether the document in force says nothing of the name, so that its last good settings stay
 * @param override the patch by hand over the settings of the document; null = none
 * @param limiter the limiter in this process; null if a store counts the limit, or it is removed
 * @param stored the limit that a store counts; null if no store does
 * @param queue the queue; null = none
 * @param control what adapts the limit; null = nothing
 * @param hotKeys the keys that are granted and refused most; null if they were never recorded
 * @param share the share of a quota; null = none
 * @param suspendedNanos for how much longer this instance refuses all requests; 0 if it does not, or if these are several names
 * @param suspendedBy the text given to {@link dev.weir.Limiter#suspendFor}; null if it is not suspended
 */
public record LimitStatus(
        String name,
        long revision,
        Map<String, String> settings,
        boolean removed,
        boolean orphan,
        @Nullable LimitOverride override,
        @Nullable Snapshot limiter,
        @Nullable StrategySpec stored,
        @Nullable QueueSnapshot queue,
        @Nullable ControlSnapshot control,
        @Nullable HeavyHitters hotKeys,
        @Nullable ShareStatus share,
        long suspendedNanos,
        @Nullable String suspendedBy) {
    /** Copies the settings. */
    public LimitStatus {
        settings = Map.copyOf(settings);
    }
}
