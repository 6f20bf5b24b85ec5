package dev.weir.adaptive;

import dev.weir.adaptive.Overrides.Terms;
import java.time.Clock;
import java.time.LocalTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The bounds of the time of day, looked up once a second. */
final class DailySchedule {
    private static final long LOOKS_EVERY = 1_000_000_000;

    private record Look(long at, @Nullable Terms found) {}

    private final Clock clock;
    private final Map<DailyBounds, Terms> windows = new LinkedHashMap<>();
    private volatile @Nullable Look last;

    DailySchedule(Clock local, List<DailyBounds> windows) {
        clock = local;
        for (DailyBounds window : windows) {
            this.windows.put(window, new Terms(window.bounds(), "daily from " + window.from() + " to " + window.to()));
        }
    }

    @Nullable
    Terms at(long now) {
        Look look = last;
        if (look == null || now - look.at >= LOOKS_EVERY || now - look.at < 0) {
            look = new Look(now, present(look));
            last = look;
        }
        return look.found;
    }

    private @Nullable Terms present(@Nullable Look before) {
        try {
            return find(LocalTime.now(clock));
        } catch (RuntimeException e) {
            return before == null ? null : before.found; // a calendar out of order changes nothing
        }
    }

    private @Nullable Terms find(LocalTime time) {
        for (Map.Entry<DailyBounds, Terms> window : windows.entrySet()) {
            if (window.getKey().contain(time)) {
                return window.getValue();
            }
        }
        return null;
    }
}
