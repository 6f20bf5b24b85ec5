package dev.weir.share;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a share at about one instant.
 *
 * @param share what is enforced
 * @param target the share when the other instances have given up what is due; that of the last reading of the registry
 * @param quota the smallest quota that any of the live instances knows; that of the last reading
 * @param place the place of this instance among those that take part; that of the last reading
 * @param isDegraded whether the registry is lost, or has not been reached yet: at most the degraded share is enforced
 * @param rounds how many times the shares were computed
 * @param conflicts how many replacements were not made because another instance was first
 * @param failures how many rounds failed
 * @param lastFailure what the last round threw, or the target when it was last set; null if both succeeded
 * @param problems what was wrong with the ledger at the last reading, at most 19 lines; it was ignored
 */
public record ShareStatus(
        long share,
        long target,
        long quota,
        Instances.Place place,
        boolean isDegraded,
        long rounds,
        long conflicts,
        long failures,
        @Nullable Throwable lastFailure,
        List<String> problems) {}
