package dev.weir.named.status;

import java.time.Instant;
import java.util.Objects;

/**
 * An event of a {@code LimiterRegistry} with its time.
 *
 * @param at when it was told, by the clock of the registry
 * @param event what happened
 */
public record TimedEvent(Instant at, ConfigEvent event) {
    /** Checks the components. */
    public TimedEvent {
        Objects.requireNonNull(at, "at");
        Objects.requireNonNull(event, "event");
    }
}
