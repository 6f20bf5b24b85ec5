package dev.weir.adaptive;

import dev.weir.Ticker;
import dev.weir.internal.Durations;
import dev.weir.spi.Registration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The bounds in force: the newest override that has not expired, else those for the time of day, else the configured ones. */
final class Overrides {
    /* Called at each slice: without an override and a schedule this is one volatile read of each, and reads no clock. */

    /** Bounds and where they come from. The same object as long as they are in force. */
    record NamedBounds(Bounds bounds, String name) {
        /** The reason for a change of the limit when these replace the former. */
        String after(@Nullable NamedBounds before) {
            if (before == null || before.name.equals(CONFIGURED) || !name.equals(CONFIGURED)) {
                return name + ": into the bounds";
            }
            return before.name + " is over: into the bounds";
        }
    }

    private record TimedBounds(NamedBounds bounds, long since, long nanos) {
        boolean lasts(long now) {
            return now - since < nanos;
        }
    }

    private static final String CONFIGURED = "adaptive";

    private final Ticker ticker;
    private final @Nullable DailySchedule daily;
    private volatile NamedBounds base;
    private volatile List<TimedBounds> overrides = List.of();

    Overrides(Bounds base, Ticker ticker, @Nullable DailySchedule daily) {
        this.base = new NamedBounds(base, CONFIGURED);
        this.ticker = ticker;
        this.daily = daily;
    }

    void base(Bounds other) {
        base = new NamedBounds(other, CONFIGURED);
    }

    Registration add(Bounds bounds, Duration duration, String why) {
        Objects.requireNonNull(bounds, "bounds");
        long nanos = Durations.nanos("duration", duration);
        if (why.isBlank()) {
            throw new IllegalArgumentException("why must not be blank, was \"" + why + "\"");
        }
        TimedBounds added = new TimedBounds(new NamedBounds(bounds, "override: " + why), ticker.read(), nanos);
        synchronized (this) {
            List<TimedBounds> more = new ArrayList<>(overrides);
            more.add(added);
            overrides = List.copyOf(more);
        }
        return () -> remove(added);
    }

    private synchronized void remove(TimedBounds ended) {
        overrides = overrides.stream().filter(override -> override != ended).toList();
    }

    Bounds inForce() {
        return current().bounds();
    }

    NamedBounds current() {
        List<TimedBounds> all = overrides;
        if (all.isEmpty() && daily == null) {
            return base;
        }
        long now = ticker.read();
        for (int i = all.size() - 1; i >= 0; i--) {
            TimedBounds override = all.get(i);
            if (override.lasts(now)) {
                return override.bounds;
            }
            remove(override);
        }
        NamedBounds daytime = daily == null ? null : daily.at(now);
        return daytime == null ? base : daytime;
    }
}
