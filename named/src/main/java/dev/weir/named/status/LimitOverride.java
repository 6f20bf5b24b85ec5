package dev.weir.named.status;

import dev.weir.named.status.ConfigEvent.Difference;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A patch over the settings of a limit that was put in force by hand, until a time; see {@code LimiterRegistry.override}. Immutable.
 *
 * @param patch the fields that it sets, by path and as text; {@code "null"} = it drops the field
 * @param who gave it
 * @param why it is needed
 * @param since when it was given
 * @param until when the settings below it return
 * @param differences what it sets, replaces and drops in the settings below it: those of the document, or the default of the code
 * @param pending whether another thread is still bringing it in force
 * @param problem why it cannot be applied to the settings below it as they are now; what it made of those before stays in force.
 *     Empty = nothing
 */
public record LimitOverride(
        Map<String, String> patch,
        String who,
        String why,
        Instant since,
        Instant until,
        List<Difference> differences,
        boolean pending,
        String problem) {
    /** Copies the collections. */
    public LimitOverride {
        patch = Collections.unmodifiableMap(new TreeMap<>(patch));
        differences = List.copyOf(differences);
    }

    /** The same with what became of it. */
    public LimitOverride with(List<Difference> made, boolean isPending, String wrong) {
        return new LimitOverride(patch, who, why, since, until, made, isPending, wrong);
    }

    /** One line: {@code "ann: incident 7, until 2026-03-01T10:00:00Z: checkout.concurrency: 40 -> 5"}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(who + ": " + why + ", until " + until);
        for (int i = 0; i < differences.size(); i++) {
            text.append(i == 0 ? ": " : ", ").append(differences.get(i));
        }
        return text.append(pending ? "; not in force yet" : "")
                .append(problem.isEmpty() ? "" : "; not over the settings of now: " + problem)
                .toString();
    }
}
