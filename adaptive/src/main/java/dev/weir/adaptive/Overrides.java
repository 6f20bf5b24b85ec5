package dev.weir.adaptive;

import dev.weir.Ticker;
import dev.weir.internal.Durations;
import dev.weir.internal.Require;
import dev.weir.spi.Registration;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
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
        Require.that(!why.isBlank(), "why must not be blank", '"' + why + '"');
        TimedBounds added = new TimedBounds(new NamedBounds(bounds, "override: " + why), ticker.read(), nanos);
        synchronized (this) {
            overrides = Stream.concat(overrides.stream(), Stream.of(added)).toList();
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

    /** The bounds for the time of day, looked up once a second. */
    static final class DailySchedule {
        private static final long INTERVAL = 1_000_000_000;

        private record Lookup(long at, @Nullable NamedBounds found) {}

        private final Clock clock;
        private final Map<DailyBounds, NamedBounds> windows = new LinkedHashMap<>();
        /* Threads that race find the same. */
        private volatile @Nullable Lookup last;

        DailySchedule(Clock local, List<DailyBounds> windows) {
            clock = local;
            for (DailyBounds window : windows) {
                this.windows.put(
                        window, new NamedBounds(window.bounds(), "daily from " + window.from() + " to " + window.to()));
            }
        }

        @Nullable
        NamedBounds at(long now) {
            Lookup lookup = last;
            if (lookup == null || now - lookup.at >= INTERVAL || now - lookup.at < 0) {
                lookup = new Lookup(now, findOr(lookup));
                last = lookup;
            }
            return lookup.found;
        }

        private @Nullable NamedBounds findOr(@Nullable Lookup before) {
            try {
                LocalTime time = LocalTime.now(clock);
                return windows.entrySet().stream()
                        .filter(window -> window.getKey().contain(time))
                        .map(Map.Entry::getValue)
                        .findFirst()
                        .orElse(null);
            } catch (RuntimeException e) {
                return before == null ? null : before.found; // a clock that fails changes nothing
            }
        }
    }
}
