package dev.weir.named.status;

import dev.weir.named.status.ConfigEvent.Difference;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A change of what is in force for one name of a {@code LimiterRegistry}.
 *
 * @param at when, by the clock of the registry
 * @param writer what made it
 * @param version of the document; empty = it was not a document
 * @param who made it; empty = unknown
 * @param why it was made; empty = unknown
 * @param differences what is different now; empty if the settings are the same and only have another writer. What is not a
 *     setting of a document is called {@code limit}
 */
public record LimitChange(
        Instant at, Writer writer, String version, String who, String why, List<Difference> differences) {
    /** Copies the differences. */
    public LimitChange {
        differences = List.copyOf(differences);
    }

    /** The writers of what is in force for a name. */
    public enum Writer {
        /** Code, by its default. */
        CODE,
        /** A document. */
        DOCUMENT,
        /** Somebody, by {@code LimiterRegistry.override}. */
        OVERRIDE,
        /** The share of a quota. */
        SHARE,
        /** The adaptive control. */
        CONTROL;

        /** The name in lower case. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** One line: {@code "2026-03-01T10:00:00Z document 7 by ann: more load: checkout.concurrency: 20 -> 40"}. */
    @Override
    public String toString() {
        String changed = differences.stream().map(Difference::toString).collect(Collectors.joining(", "));
        return at + " " + writer
                + (version.isEmpty() ? "" : " " + version)
                + (who.isEmpty() ? "" : " by " + who)
                + (why.isEmpty() ? "" : ": " + why)
                + (changed.isEmpty() ? "" : ": " + changed);
    }
}
