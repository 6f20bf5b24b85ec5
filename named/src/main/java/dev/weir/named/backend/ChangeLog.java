package dev.weir.named.backend;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.status.ConfigEvent.Difference;
import dev.weir.named.status.LimitChange;
import dev.weir.named.status.LimitChange.Writer;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The last 50 changes of one name. Thread-safe. */
final class ChangeLog {
    /** The path of a limit that no document sets. */
    static final String LIMIT = "limit";

    private static final int SIZE = 50;

    private final InstantSource clock;
    private final Deque<LimitChange> last = new ArrayDeque<>(1);

    /* Adaptive changes are so frequent that none of these may be among the last ones. */
    @GuardedBy("last")
    private @Nullable LimitChange lastOfDocument;

    ChangeLog(InstantSource clock) {
        this.clock = clock;
    }

    /** A writer with its reasons; what is empty is unknown. */
    record Cause(Writer writer, String version, String who, String why) {
        Cause(Writer writer, String why) {
            this(writer, "", "", why);
        }
    }

    void add(Cause cause, List<Difference> differences) {
        Instant now = clock.instant();
        LimitChange change = new LimitChange(now, cause.writer, cause.version, cause.who, cause.why, differences);
        synchronized (last) {
            last.addLast(change);
            if (last.size() > SIZE) {
                last.removeFirst();
            }
            if (cause.writer == Writer.DOCUMENT) {
                lastOfDocument = change;
            }
        }
    }

    /** The oldest first. */
    List<LimitChange> last() {
        synchronized (last) {
            return List.copyOf(last);
        }
    }

    @Nullable
    LimitChange lastOfDocument() {
        synchronized (last) {
            return lastOfDocument;
        }
    }

    static List<Difference> differences(String name, @Nullable LimitPlan old, @Nullable LimitPlan plan) {
        Map<String, String> before = texts(old);
        Map<String, String> after = texts(plan);
        TreeSet<String> paths = new TreeSet<>(before.keySet());
        paths.addAll(after.keySet());
        return paths.stream()
                .filter(path -> !Objects.equals(before.get(path), after.get(path)))
                .map(path -> new Difference(name, path, before.getOrDefault(path, ""), after.getOrDefault(path, "")))
                .toList();
    }

    private static Map<String, String> texts(@Nullable LimitPlan plan) {
        return plan == null ? Map.of() : plan.texts();
    }
}
