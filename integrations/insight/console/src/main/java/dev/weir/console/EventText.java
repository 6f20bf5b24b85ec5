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

/** Events as lines of a log. */
final class EventText {
    /** How many differences, names or problems one line has. */
    private static final int MOST = 20;

    private static final int MAX_CHARS = 2_000;

    private EventText() {}

    static String json(TimedEvent event) {
        return JsonWriter.object(json -> {
            json.text("at", event.at()).text("kind", kind(event.event()));
            if (event.event() instanceof Overridden by) {
                json.text("limiter", by.limiter());
            } else if (event.event() instanceof Suspended suspended) {
                json.text("limiter", suspended.limiter());
            }
            json.text("text", cut(text(event.event()), MAX_CHARS));
        });
    }

    private static String kind(ConfigEvent event) {
        if (event instanceof Changed) {
            return "changed";
        } else if (event instanceof Refused refused) {
            return refused.held() ? "held" : "refused";
        } else if (event instanceof Orphaned) {
            return "orphaned";
        } else if (event instanceof Overridden by) {
            return by.ended() ? "override ended" : "override";
        } else if (event instanceof Suspended) {
            return "suspended";
        }
        return event instanceof SourceLost ? "source lost" : "source restored";
    }

    private static String text(ConfigEvent event) {
        if (event instanceof Changed changed) {
            return changed.source() + " has version " + changed.version()
                    + (changed.author().isEmpty() ? "" : " by " + changed.author())
                    + (changed.reason().isEmpty() ? "" : ": " + changed.reason())
                    + listed(": ", changed.differences())
                    + listed("; problems: ", changed.problems());
        } else if (event instanceof Refused refused) {
            return refused.source() + " version " + refused.version() + listed(": ", refused.problems());
        } else if (event instanceof Orphaned orphaned) {
            return orphaned.source() + " version " + orphaned.version() + " does not have"
                    + listed(" ", orphaned.names());
        } else if (event instanceof Overridden by) {
            return by.override().toString();
        } else if (event instanceof Suspended suspended) {
            return "for " + suspended.time() + ": " + suspended.why();
        } else if (event instanceof SourceLost lost) {
            return lost.source() + ": " + lost.cause();
        }
        SourceRestored restored = (SourceRestored) event;
        return restored.source() + " can be read again after " + restored.away();
    }

    private static String listed(String before, Collection<?> all) {
        String first = all.stream().limit(MOST).map(String::valueOf).collect(Collectors.joining(", ", before, ""));
        return all.isEmpty() ? "" : first + (all.size() > MOST ? " and " + (all.size() - MOST) + " more" : "");
    }

    /** At most so many characters. */
    static String cut(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most) + "...";
    }
}
