package dev.weir.console;

import dev.weir.named.status.ConfigEvent;
import dev.weir.named.status.ConfigEvent.Changed;
import dev.weir.named.status.ConfigEvent.Orphaned;
import dev.weir.named.status.ConfigEvent.Overridden;
import dev.weir.named.status.ConfigEvent.Refused;
import dev.weir.named.status.ConfigEvent.SourceLost;
import dev.weir.named.status.ConfigEvent.SourceRestored;
import dev.weir.named.status.ConfigEvent.Suspended;
import dev.weir.named.status.TimedEvent;
import java.util.Collection;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Events as lines of a log. */
final class EventText {
    private static final int MOST = 20;

    private static final int MAX_CHARS = 2_000;

    private EventText() {}

    private record Line(String kind, @Nullable String limiter, String text) {}

    static String json(TimedEvent event) {
        Line line = line(event.event());
        return JsonWriter.object(json -> json.text("at", event.at())
                .text("kind", line.kind)
                .text("limiter", line.limiter)
                .text("text", cut(line.text, MAX_CHARS)));
    }

    private static Line line(ConfigEvent event) {
        if (event instanceof Changed changed) {
            String text = changed.source() + " has version " + changed.version()
                    + (changed.author().isEmpty() ? "" : " by " + changed.author())
                    + (changed.reason().isEmpty() ? "" : ": " + changed.reason())
                    + listed(": ", changed.differences())
                    + listed("; problems: ", changed.problems());
            return new Line("changed", null, text);
        } else if (event instanceof Refused refused) {
            String text = refused.source() + " version " + refused.version() + listed(": ", refused.problems());
            return new Line(refused.held() ? "held" : "refused", null, text);
        } else if (event instanceof Orphaned orphaned) {
            String text = orphaned.source() + " version " + orphaned.version() + " does not have"
                    + listed(" ", orphaned.names());
            return new Line("orphaned", null, text);
        } else if (event instanceof Overridden by) {
            String kind = by.ended() ? "override ended" : "override";
            return new Line(kind, by.limiter(), by.override().toString());
        } else if (event instanceof Suspended suspended) {
            String text = "for " + suspended.time() + ": " + suspended.why();
            return new Line("suspended", suspended.limiter(), text);
        } else if (event instanceof SourceLost lost) {
            return new Line("source lost", null, lost.source() + ": " + lost.cause());
        }
        SourceRestored restored = (SourceRestored) event;
        String text = restored.source() + " can be read again after " + restored.away();
        return new Line("source restored", null, text);
    }

    private static String listed(String before, Collection<?> all) {
        String first = all.stream().limit(MOST).map(String::valueOf).collect(Collectors.joining(", ", before, ""));
        return all.isEmpty() ? "" : first + (all.size() > MOST ? " and " + (all.size() - MOST) + " more" : "");
    }

    static String cut(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most) + "...";
    }
}
