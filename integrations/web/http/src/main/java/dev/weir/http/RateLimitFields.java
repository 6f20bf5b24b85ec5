package dev.weir.http;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Permit.Quota;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.http.Policies.Part;
import dev.weir.http.Policy.Unit;
import dev.weir.http.RateLimitFields.Reset;
import dev.weir.spi.LimitView;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decisions as HTTP response fields: {@code RateLimit} and {@code RateLimit-Policy} of
 * draft-ietf-httpapi-ratelimit-headers-11, {@code Retry-After} of RFC 9110 and, if asked for, the older {@code X-RateLimit-*}.
 * What is not known is left out. Thread-safe; does not block.
 *
 * <pre>{@code
 * RateLimitFields fields = RateLimitFields.of(perClient, service);
 * fields.write(decision, response::setHeader);
 * }</pre>
 *
 * <p>No value contains a control character, whatever the names of limits contain.
 */
public final class RateLimitFields {
    private static final String TYPES = "https://iana.org/assignments/http-problem-types#";
    /* Characters of one limit in the field, unless its name is long: a text that need not grow. */
    private static final int ITEM = 40;

    private final List<ToldLimit> limits;
    private final @Nullable LegacyFields legacy;
    private final RandomGenerator random;
    /* Immutable; threads that race make it twice. */
    private volatile @Nullable Kept kept;

    /** The text of the policies of several limits, until one of them has others. */
    private static final class Kept {
        private final Policies[] of;
        private final String text;

        Kept(Policies[] of) {
            this.of = of;
            text = Stream.of(of).map(Policies::text).collect(Collectors.joining(", "));
        }
    }

    private RateLimitFields(Builder builder) {
        limits = List.copyOf(builder.limits);
        legacy = builder.legacy;
        random = builder.random;
    }

    /** A builder; it needs one limit at least. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Tells of these limits as they are at each response; see {@link Builder#limiter(LimitView)}.
     *
     * @throws IllegalArgumentException if there is none, or the name of one is longer than 256 characters
     */
    public static RateLimitFields of(LimitView... limiters) {
        Builder builder = builder();
        Stream.of(limiters).forEach(builder::limiter);
        return builder.build();
    }

    /** Tells of rejections only: of each, the limit that refused, as the rejection has it. */
    public static RateLimitFields ofRejections() {
        return builder().policy(Policy.concurrency("limit", 0)).build();
    }

    /**
     * 429 if the client asked too often, or for more than it can ever get; 400 if the request has not the key that the limit
     * counts by; 503 if the service has too much to do, cannot decide, or the limiter is closed or suspended.
     */
    public static int status(Rejection rejection) {
        return switch (rejection.reason()) {
            case RATE, NEVER -> 429;
            case KEY_MISSING -> 400;
            case CONCURRENCY, QUEUE_FULL, TIMED_OUT, SHED, CANCELLED, UNAVAILABLE, SUSPENDED -> 503;
        };
    }

    /**
     * Writes the fields for a decision about a request without a key. For a request with a key write {@linkplain #write(Request,
     * Decision, BiConsumer) the fields of that request}.
     *
     * @param to takes the name and the value of a field, at most once for each name
     */
    public void write(Decision decision, BiConsumer<? super String, ? super String> to) {
        write(Request.ONE, decision, to);
    }

    /**
     * Writes the fields for a decision about a request. Of each limit is told what its limiter tells of this request
     * ({@link LimitView#quota}). A permit's {@link Permit#quota quota} is told of the only limit, or else of the one limit that
     * may have these figures and whose limiter does not tell. Where a limit has several parts, what is left is told only if it is
     * known of which part. Of a rejection, only the limit that refused is told, under its own name.
     *
     * @param to takes the name and the value of a field, at most once for each name
     */
    public void write(Request request, Decision decision, BiConsumer<? super String, ? super String> to) {
        if (decision instanceof Rejection rejection) {
            refused(rejection, request, to);
        } else if (decision instanceof Permit permit) {
            granted(permit.quota(), request, to);
        }
    }

    private void granted(@Nullable Quota decided, Request request, BiConsumer<? super String, ? super String> to) {
        ToldLimit decidedOf = decided == null ? null : of(decided, request);
        Policies[] policies = new Policies[limits.size()];
        StringBuilder left = new StringBuilder(policies.length * ITEM);
        for (int i = 0; i < policies.length; i++) {
            ToldLimit limit = limits.get(i);
            Quota quota = limit == decidedOf ? decided : limit.quota(request);
            Policies present = limit.policies(quota);
            Part part = present.part(quota);
            // Clients take what is left for a part of the quota, also of a burst above it.
            long remaining = quota == null || part == null ? -1 : Math.min(quota.remaining(), quota.limit());
            long reset = quota == null || part == null || quota.resetNanos() == 0 ? -1 : quota.resetNanos();
            policies[i] = present;
            if (part != null) {
                HttpText.limit(left, part.name(), remaining, reset);
            }
            if (i == 0 && legacy != null) {
                legacy.write((part == null ? present.first() : part).policy(), remaining, reset, to);
            }
        }
        to.accept("RateLimit-Policy", text(policies));
        if (!left.isEmpty()) {
            to.accept("RateLimit", left.toString());
        }
    }

    private @Nullable ToldLimit of(Quota decided, Request request) {
        ToldLimit found = null;
        for (ToldLimit limit : limits) {
            if (limits.size() == 1) {
                return limit;
            }
            if (limit.mayHave(decided) && limit.quota(request) == null) {
                if (found != null) {
                    return null;
                }
                found = limit;
            }
        }
        return found;
    }

    private String text(Policies[] present) {
        if (present.length == 1) {
            return present[0].text();
        }
        Kept last = kept;
        if (last == null || !Arrays.equals(last.of, present)) {
            last = new Kept(present);
            kept = last;
        }
        return last.text;
    }

    private void refused(Rejection rejection, Request request, BiConsumer<? super String, ? super String> to) {
        Part part = refusing(rejection, request);
        boolean lacksKey = rejection.reason() == Reason.KEY_MISSING;
        boolean isUseless = lacksKey || rejection.reason() == Reason.NEVER;
        long reset = isUseless || rejection.retryAfterNanos() == 0 ? -1 : rejection.retryAfterNanos();
        if (!isUseless) {
            // Not earlier than t, as the draft wants, because jitter only adds.
            long wait = HttpText.seconds(rejection.jitteredNanos(random));
            to.accept("Retry-After", Long.toString(Math.max(1, wait)));
        }
        if (part.policy().quota() == 0 && rejection.limit() == 0) {
            return;
        }
        to.accept("RateLimit-Policy", part.text());
        if (lacksKey) {
            return;
        }
        StringBuilder left = new StringBuilder(ITEM);
        HttpText.limit(left, part.name(), 0, reset);
        to.accept("RateLimit", left.toString());
        if (legacy != null) {
            legacy.write(part.policy(), 0, reset, to);
        }
    }

    private Part refusing(Rejection rejection, Request request) {
        for (ToldLimit limit : limits) {
            if (limit.name().equals(rejection.limiter())) {
                return limit.refusing(rejection, request);
            }
        }
        return Policy.isName(rejection.limiter())
                ? ToldLimit.whole(rejection.limiter(), rejection)
                : limits.get(0).refusing(rejection, request);
    }

    /**
     * A body of the type {@code application/problem+json} (RFC 9457) for a refused request: the problem type of the draft
     * ({@code about:blank} for a missing key), the status and the name of the violated policy. It is ASCII.
     */
    public String problem(Rejection rejection) {
        int status = status(rejection);
        String problem = switch (status) {
            case 429 ->
                problem(
                        TYPES + "quota-exceeded",
                        "The request cannot be satisfied because the assigned quota is exceeded");
            case 400 -> problem("about:blank", "Bad Request");
            default ->
                problem(
                        TYPES + "temporary-reduced-capacity",
                        "The request cannot be satisfied because the capacity of the server is reduced");
        };
        return problem + ",\"status\":" + status + ",\"violated-policies\":["
                + refusing(rejection, Request.ONE).name() + "]}";
    }

    private static String problem(String type, String title) {
        return "{\"type\":\"" + type + "\",\"title\":\"" + title + "\"";
    }

    /** The unit and origin of {@code X-RateLimit-Reset}. */
    public enum Reset {
        /** Seconds from now. */
        SECONDS,
        /** Seconds since 1970, as the clock of this server counts them. */
        EPOCH_SECONDS
    }

    /** Options of the fields. Not thread-safe. */
    public static final class Builder {
        private final List<ToldLimit> limits = new ArrayList<>();
        private @Nullable LegacyFields legacy;
        private RandomGenerator random = () -> ThreadLocalRandom.current().nextLong();

        private Builder() {}

        Builder policy(Policy policy) {
            limits.add(ToldLimit.fixed(Objects.requireNonNull(policy, "policy")));
            return this;
        }

        /**
         * Tells of this limit as it is at each response: a limiter in this process, a name of a registry or each of several at
         * once, or a limit that a store counts. What it throws then is ignored: clients are told what is known.
         *
         * @throws IllegalArgumentException if its name is longer than 256 characters
         */
        public Builder limiter(LimitView limiter) {
            limiter.limits().forEach(each -> limits.add(ToldLimit.of(each)));
            return this;
        }

        /**
         * Also writes {@code X-RateLimit-Limit}, {@code -Remaining} and {@code -Reset}, for the limit that refused, or else the
         * first one; not for a limit of concurrent requests. Default: not.
         *
         * @param clock for {@link Reset#EPOCH_SECONDS}
         */
        public Builder legacy(Reset reset, InstantSource clock) {
            legacy = new LegacyFields(Objects.requireNonNull(reset, "reset"), Objects.requireNonNull(clock, "clock"));
            return this;
        }

        /** Jitters {@code Retry-After} by this generator. Default: the generator of the thread. */
        public Builder random(RandomGenerator generator) {
            random = Objects.requireNonNull(generator, "generator");
            return this;
        }

        /**
         * Builds the fields.
         *
         * @throws IllegalArgumentException if there is no limit
         */
        public RateLimitFields build() {
            if (limits.isEmpty()) {
                throw new IllegalArgumentException("limits must be >= 1, were 0");
            }
            return new RateLimitFields(this);
        }
    }

    /** The fields {@code X-RateLimit-*}, whose meaning no document defines. */
    private record LegacyFields(Reset reset, InstantSource clock) {
        /** Writes what is known, -1 is not; nothing of a limit of concurrent requests. */
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
}
