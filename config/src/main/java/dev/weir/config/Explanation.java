package dev.weir.config;

import dev.weir.adaptive.ControlSnapshot;
import dev.weir.config.LimitChange.Writer;
import dev.weir.config.document.LimitPlan;
import dev.weir.config.document.Origin;
import dev.weir.config.schema.PlanText;
import dev.weir.distributed.ShareStatus;
import dev.weir.engine.Snapshot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reasons for what is in force for one name of a {@link LimiterRegistry}; as text, one line for each writer and for each
 * change.
 *
 * @param writer what decides the limit now
 * @param settings the settings in force, in words; empty = the name is removed
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

    /**
     * That of an entry.
     *
     * @param said what the document in force says of the name; null = nothing
     * @param version of the document in force
     */
    static Explanation of(NamedEntry entry, @Nullable LimitPlan said, String version) {
        WantedSettings wanted = entry.target();
        LimitStatus status = entry.status();
        LimitPlan plan = wanted.plan();
        LimitPlan document = wanted.document();
        LimitChange last = entry.log().lastOfDocument();
        LimitPlan found = said != null && NameTable.isSame(said, document) ? said : null;
        return new Explanation(
                writer(wanted, status),
                plan == null ? "" : PlanText.of(plan).substring(plan.name().length() + 2),
                document == null ? null : found != null ? found.origin() : document.origin(),
                document == null ? "" : found != null ? version : wanted.version(),
                last,
                wanted.caps(),
                status,
                entry.log().last());
    }

    private static Writer writer(WantedSettings wanted, LimitStatus status) {
        if (status.control() != null) {
            return Writer.CONTROL;
        }
        if (status.share() != null) {
            return Writer.SHARE;
        }
        if (wanted.override() != null) {
            return Writer.OVERRIDE;
        }
        return wanted.document() != null || wanted.declared() == null ? Writer.DOCUMENT : Writer.CODE;
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
        LimitOverride hand = status.override();
        line(text, "override", hand == null ? "none" : hand.who() + ": " + hand.why() + ", until " + hand.until());
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
                                + (share.isDegraded() ? ", without the registry" : ""));
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
