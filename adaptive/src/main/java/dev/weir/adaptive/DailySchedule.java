package dev.weir.adaptive;

import dev.weir.adaptive.Overrides.NamedBounds;
import java.time.Clock;
import java.time.LocalTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The bounds for the time of day, looked up once a second. */
final class DailySchedule {
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
            return find(LocalTime.now(clock));
        } catch (RuntimeException e) {
            return before == null ? null : before.found; // a clock that fails changes nothing
        }
    }

    private @Nullable NamedBounds find(LocalTime time) {
        for (Map.Entry<DailyBounds, NamedBounds> window : windows.entrySet()) {
            if (window.getKey().contain(time)) {
                return window.getValue();
            }
        }
        return null;
    }
}
