package dev.weir.config.source;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The state of a source: readable or not, and since when. Not thread-safe. */
final class SourceHealth {
    private boolean up;
    private boolean lost;
    private boolean everRead;
    private long since;
    private long lastReading;
    private long failures;

    SourceHealth(long now) {
        since = now;
    }

    /** Whether the outage began with this failure. */
    boolean failed(long start) {
        failures++;
        if (lost) {
            return false;
        }
        lost = true;
        up = false;
        since = start;
        return true;
    }

    /** Counts a failure that is no outage. */
    void stumbled() {
        failures++;
    }

    /** How long the outage was that ends with this success; null if there was none. */
    @Nullable
    Duration succeeded(long now) {
        Duration away = lost ? Duration.ofNanos(now - since) : null;
        if (!up) {
            since = now;
        }
        up = true;
        lost = false;
        everRead = true;
        lastReading = now;
        return away;
    }

    boolean isLost() {
        return lost;
    }

    SourceStatus status(String name, long now) {
        Duration age = everRead ? Duration.ofNanos(now - lastReading) : null;
        return new SourceStatus(name, up, Duration.ofNanos(now - since), age, failures);
    }
}
