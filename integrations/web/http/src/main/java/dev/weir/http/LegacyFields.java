package dev.weir.http;

import dev.weir.http.Policy.Unit;
import dev.weir.http.RateLimitFields.Reset;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.BiConsumer;

/** The fields {@code X-RateLimit-*}, whose meaning no document defines. */
record LegacyFields(Reset reset, InstantSource clock) {
    /**
     * Writes what is known; nothing of a limit of concurrent requests.
     *
     * @param remaining -1 = not known
     * @param resetNanos -1 = not known
     */
    void write(Policy limit, long remaining, long resetNanos, BiConsumer<? super String, ? super String> to) {
        if (limit.unit() != Unit.REQUESTS) {
            return;
        }
        to.accept("X-RateLimit-Limit", Long.toString(HttpText.integer(limit.quota())));
        if (remaining >= 0) {
            to.accept("X-RateLimit-Remaining", Long.toString(HttpText.integer(remaining)));
        }
        if (resetNanos >= 0) {
            to.accept("X-RateLimit-Reset", Long.toString(seconds(resetNanos)));
        }
    }

    private long seconds(long resetNanos) {
        if (reset == Reset.SECONDS) {
            return HttpText.seconds(resetNanos);
        }
        Instant then = clock.instant().plus(Duration.ofNanos(resetNanos));
        return then.getEpochSecond() + (then.getNano() > 0 ? 1 : 0);
    }
}
