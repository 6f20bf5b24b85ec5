package dev.weir.samples;

import com.sun.net.httpserver.Headers;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.engine.ManagedLimiter;
import dev.weir.engine.Snapshot;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A decision as HTTP says it: {@code Retry-After} of RFC 9110, {@code RateLimit} and {@code RateLimit-Policy} of
 * draft-ietf-httpapi-ratelimit-headers-11, and the older {@code X-RateLimit-*}, whose reset is in seconds from now. What
 * the decision does not tell is left out.
 */
final class RateLimitHeaders {
    private final long windowSeconds;

    /** For a rate counted by so many whole seconds. */
    RateLimitHeaders(Duration window) {
        windowSeconds = window.toSeconds();
    }

    /** 429: you ask too often. 503: we are too busy. */
    static int status(Rejection rejection) {
        return rejection.reason() == Reason.RATE ? 429 : 503;
    }

    /** Names the limit that refused, and when to ask again: jittered, so that clients refused together do not ask together. */
    void refuse(Headers headers, Rejection rejection) {
        long reset = seconds(rejection.retryAfterNanos());
        headers.set("Retry-After", Long.toString(seconds(rejection.jitteredNanos(ThreadLocalRandom.current()))));
        if (rejection.reason() == Reason.RATE) {
            headers.set("RateLimit-Policy", ratePolicy(rejection.limit()));
            headers.set("RateLimit", "\"client\";r=0;t=" + reset);
            headers.set("X-RateLimit-Limit", Long.toString(rejection.limit()));
            headers.set("X-RateLimit-Remaining", "0");
            headers.set("X-RateLimit-Reset", Long.toString(reset));
        } else {
            headers.set("RateLimit-Policy", servicePolicy(rejection.limit()));
            headers.set("RateLimit", "\"service\";r=0");
        }
    }

    /** Says both limits in force and how many permits of the service are left; the client counts what is left of its rate. */
    void admit(Headers headers, ManagedLimiter perClient, ManagedLimiter service) {
        long rate = perClient.dial().limit();
        Snapshot now = service.snapshot();
        headers.set("RateLimit-Policy", ratePolicy(rate) + ", " + servicePolicy(now.limit()));
        headers.set("RateLimit", "\"service\";r=" + Math.max(0, now.limit() - now.inFlight()));
        headers.set("X-RateLimit-Limit", Long.toString(rate));
    }

    private String ratePolicy(long limit) {
        return "\"client\";q=" + limit + ";w=" + windowSeconds;
    }

    private static String servicePolicy(long limit) {
        return "\"service\";q=" + limit + ";qu=\"concurrent-requests\"";
    }

    /** Whole seconds, rounded up, at least one. */
    private static long seconds(long nanos) {
        return Math.max(1, nanos / 1_000_000_000 + (nanos % 1_000_000_000 == 0 ? 0 : 1));
    }
}
