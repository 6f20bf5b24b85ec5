package dev.weir.named;

import dev.weir.named.status.ConfigEvent;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** A listener that logs each event, in one line for each difference or problem. Thread-safe. */
final class ConfigLog implements Consumer<ConfigEvent> {
    private static final int MAX_LINES = 20;

    @Override
    public void accept(ConfigEvent event) {
        System.Logger log = System.getLogger("dev.weir.config.LimiterRegistry");
        if (event instanceof ConfigEvent.Changed changed) {
            log.log(
                    changed.problems().isEmpty() ? Level.INFO : Level.WARNING,
                    "version " + changed.version() + " of " + changed.source() + " is in force"
                            + lines(changed.differences()) + lines(changed.problems()));
        } else if (event instanceof ConfigEvent.Refused refused) {
            log.log(
                    refused.held() ? Level.INFO : Level.WARNING,
                    "what is in force stays so; " + refused.source() + lines(refused.problems()));
        } else if (event instanceof ConfigEvent.Orphaned orphaned) {
            log.log(
                    Level.WARNING,
                    "version " + orphaned.version() + " of " + orphaned.source()
                            + " says nothing of these names, whose settings stay; 'removed' would remove them"
                            + lines(orphaned.names()));
        } else if (event instanceof ConfigEvent.Overridden overridden) {
            log.log(
                    Level.WARNING,
                    overridden.limiter()
                            + (overridden.ended() ? " has the settings below again, after " : ": override by ")
                            + overridden.override());
        } else if (event instanceof ConfigEvent.Suspended suspended) {
            log.log(
                    Level.WARNING,
                    suspended.limiter() + " is suspended for " + suspended.time() + ": " + suspended.why());
        } else if (event instanceof ConfigEvent.SourceLost lost) {
            log.log(Level.WARNING, lost.source() + " cannot be read, what is in force stays so: " + lost.cause());
        } else if (event instanceof ConfigEvent.SourceRestored restored) {
            log.log(Level.INFO, restored.source() + " can be read again after " + restored.away());
        }
    }

    private static String lines(List<?> all) {
        String shown = all.stream().limit(MAX_LINES).map(line -> "\n  " + line).collect(Collectors.joining());
        return all.size() > MAX_LINES ? shown + "\n  and " + (all.size() - MAX_LINES) + " more" : shown;
    }
}
