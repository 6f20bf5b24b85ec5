package dev.weir.adaptive.state;

import dev.weir.adaptive.state.SavedStateReport.Event;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** A log of failures to save or restore, each kind once. Thread-safe. */
final class SavedStateLog implements Consumer<SavedStateReport> {
    private static final Set<Event> USUAL = EnumSet.of(Event.RESTORED, Event.SAVED, Event.ABSENT);

    private final Set<Event> logged = ConcurrentHashMap.newKeySet();

    @Override
    public void accept(SavedStateReport report) {
        if (!USUAL.contains(report.event()) && logged.add(report.event())) {
            System.getLogger(SavedStateFile.class.getName())
                    .log(
                            System.Logger.Level.WARNING,
                            "state in " + report.file() + ": " + report.event() + ", " + report.detail()
                                    + " (logged once)",
                            report.cause());
        }
    }
}
