package dev.weir.named.status;

import dev.weir.adaptive.ControlSnapshot;
import dev.weir.engine.Snapshot;
import dev.weir.named.plan.Caps;
import dev.weir.named.plan.Origin;
import dev.weir.named.status.LimitChange.Writer;
import dev.weir.share.ShareStatus;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reasons for what is in force for one name of a registry; as text, one line for each writer and for each
 * change.
 *
 * @param writer what decides the limit now
 * @param settings the settings in force, as one line; empty = the name is removed
 * @param origin where the last good settings of a document are; null = no document has the name
 * @param version of that document; empty = none
 * @param documentChange the last change by a document; null = none
 * @param caps what neither a document nor an override may exceed
 * @param status the state of the name
 * @param changes the last 50 changes by all writers, the oldest first
 */
public record Explanation(
        Writer writer,
        String settings,
        @Nullable Origin origin,
        String version,
        @Nullable LimitChange documentChange,
        Caps caps,
        LimitStatus status,
        List<LimitChange> changes) {
    /** Copies the changes. */
    public Explanation {
        changes = List.copyOf(changes);
    }

    /** Several lines of text. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(status.name());
        Snapshot limiter = status.limiter();
        if (limiter != null) {
            text.append(": ").append(limiter.limit()).append(" now, by ").append(writer);
        } else {
            text.append(status.removed() ? ": removed" : ": counted by the store");
        }
        line(text, "settings", settings.isEmpty() ? "none" : settings);
        line(text, "document", place());
        if (status.suspendedBy() != null) {
            line(text, "suspended", "for " + Duration.ofNanos(status.suspendedNanos()) + ": " + status.suspendedBy());
        }
        LimitOverride hand = status.override();
        line(text, "override", hand == null ? "none" : hand.toString());
        line(text, "caps", caps.toString());
        ControlSnapshot control = status.control();
        line(
                text,
                "control",
                control == null
                        ? "none"
                        : control.bounds().min() + " to " + control.bounds().max() + ": " + control.why());
        ShareStatus share = status.share();
        line(
                text,
                "share",
                share == null
                        ? "none"
                        : share.share() + " of " + share.quota()
                                + (share.isDegraded() ? ", without the registry of instances" : ""));
        text.append("\n  changes:");
        changes.forEach(change -> text.append("\n    ").append(change));
        return text.toString();
    }

    private String place() {
        if (origin == null) {
            return "none";
        }
        String orphan = status.orphan() ? ", an orphan: the document in force does not have it" : "";
        return origin + (version.isEmpty() ? "" : ", version " + version) + orphan;
    }

    private static void line(StringBuilder text, String what, String answer) {
        text.append("\n  ").append(what).append(": ").append(answer);
    }
}
