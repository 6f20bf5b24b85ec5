package dev.weir.config.entry;

import dev.weir.config.document.Caps;
import dev.weir.config.document.LimitPlan;
import dev.weir.config.entry.ClusterStore.Setup;
import dev.weir.config.status.LimitChange.Writer;
import dev.weir.config.status.LimitOverride;
import dev.weir.config.status.LimitStatus;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The settings that the writers of one name want in force: by hand, by the document, by code, in this order. Immutable.
 *
 * @param declared the default that code declares; null = none
 * @param caps what neither a document nor a hand may exceed
 * @param document the last good settings that a document had for the name; null = none, or removed
 * @param version of that document; empty = not known
 * @param orphan whether the document in force says nothing of the name
 * @param override what was set by hand; null = nothing
 * @param closed whether the registry is closed
 */
public record WantedSettings(
        @Nullable Declared declared,
        Caps caps,
        @Nullable LimitPlan document,
        String version,
        boolean orphan,
        @Nullable LimitOverride override,
        boolean closed) {
    static final WantedSettings NOTHING = new WantedSettings(null, Caps.NONE, null, "", false, null, false);

    /**
     * A default of the code.
     *
     * @param setup how a store counts it; null = each instance counts for itself
     */
    public record Declared(LimitPlan plan, @Nullable Setup setup) {}

    /** The settings in force; null = the name has none. */
    @Nullable
    LimitPlan plan() {
        if (closed) {
            return null;
        }
        if (override != null) {
            return override.plan();
        }
        return document != null ? document : declared == null ? null : declared.plan;
    }

    /**
     * How a store counts the limit; null = each instance counts for itself.
     *
     * @throws IllegalArgumentException if it needs what code does not give
     */
    @Nullable
    Setup setup(ClusterStore store) {
        LimitPlan plan = Objects.requireNonNull(plan());
        if (declared != null && plan == declared.plan) {
            return declared.setup;
        }
        LimitPlan.Cluster cluster = plan.cluster();
        return cluster == null ? null : store.setup(plan.spec(), cluster);
    }

    /** The writer whose value of the limit is in force. */
    Writer writer(LimitStatus status) {
        if (status.control() != null) {
            return Writer.CONTROL;
        }
        if (status.share() != null) {
            return Writer.SHARE;
        }
        if (override != null) {
            return Writer.OVERRIDE;
        }
        return document != null || declared == null ? Writer.DOCUMENT : Writer.CODE;
    }

    WantedSettings declared(Declared code, Caps most, @Nullable LimitPlan within) {
        return new WantedSettings(
                code, most, within, within == document ? version : "", orphan && within != null, override, closed);
    }

    /** With what a document of this version says of the name; null = it is removed. */
    WantedSettings with(@Nullable LimitPlan plan, String number) {
        return new WantedSettings(declared, caps, plan, number, false, override, closed);
    }

    WantedSettings orphaned() {
        return new WantedSettings(declared, caps, document, version, true, override, closed);
    }

    WantedSettings with(@Nullable LimitOverride hand) {
        return new WantedSettings(declared, caps, document, version, orphan, hand, closed);
    }

    WantedSettings ended() {
        return new WantedSettings(declared, caps, document, version, orphan, null, true);
    }
}
