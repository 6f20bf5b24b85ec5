package dev.weir.http;

import dev.weir.http.StructuredList.Member;
import dev.weir.internal.Durations;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a response that tell a client of limits, read for one question: for how long to send nothing. The inverse of
 * {@link RateLimitFields}. Immutable; does not block.
 *
 * <pre>{@code
 * Duration wait = ReceivedFields.of().retryAfter(response.statusCode(), name -> response.headers().firstValue(name).orElse(null));
 * limiter.suspendFor(wait, "told by the provider");
 * }</pre>
 *
 * <p>Read are {@code Retry-After}; {@code RateLimit} and {@code RateLimit-Policy} of draft-ietf-httpapi-ratelimit-headers, as they are
 * and as one {@code limit=100, remaining=0, reset=12} of its drafts 03 to 07; what is left and the reset in
 * {@code X-RateLimit-*}, {@code RateLimit-*}, {@code x-ratelimit-*-requests}, {@code x-ratelimit-*-tokens} and
 * {@code anthropic-ratelimit-*}; and {@code retry-after-ms}. A reset is in seconds, in seconds or milliseconds since 1970, a date of
 * RFC 3339, or a text such as {@code 6m0s}. A time of the day is compared with the {@code Date} of the same response, or with the
 * clock where that is missing. A value of another form, or a longer one than 256 characters (4,096 of {@code RateLimit} and {@code
 * RateLimit-Policy}), is ignored as if it were missing.
 */
public final class ReceivedFields {
    private static final int MAX_VALUE = 256;
    private static final int MAX_LIST = 4_096;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final Pattern NOTHING = Pattern.compile("0+|-[0-9]+");

    /** The rest of one limit and its reset, each as the name of a field. */
    private record Pair(String remaining, String reset, boolean byTokens) {}

    private static final List<Pair> PAIRS = List.of(
            new Pair("X-RateLimit-Remaining", "X-RateLimit-Reset", false),
            new Pair("RateLimit-Remaining", "RateLimit-Reset", false),
            new Pair("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests", false),
            new Pair("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens", true),
            new Pair("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset", false),
            new Pair("anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset", true),
            new Pair("anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset", true),
            new Pair("anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset", true));

    private static final ReceivedFields OF_A_DAY = of(Duration.ofDays(1), InstantSource.system());

    private final Duration atMost;
    private final InstantSource clock;

    private ReceivedFields(Duration atMost, InstantSource clock) {
        this.atMost = atMost;
        this.clock = clock;
    }

    /** A reader whose answers are a day at most, by the clock of the system. */
    public static ReceivedFields of() {
        return OF_A_DAY;
    }

    /**
     * A reader.
     *
     * @param atMost the longest answer: one who answers in the place of the server can hold a client off for so long
     * @param clock for a time of the day in a response without {@code Date}
     * @throws IllegalArgumentException if {@code atMost} is not positive
     */
    public static ReceivedFields of(Duration atMost, InstantSource clock) {
        return new ReceivedFields(Durations.positive("atMost", atMost), Objects.requireNonNull(clock, "clock"));
    }

    /**
     * For how long to send nothing after this response. With the status 429, 503 or 529, that is what {@code Retry-After} says:
     * of two joined values the later time, and {@code retry-after-ms} in its place unless that is shorter by a second or more.
     * Without it, and with every other status, it is the longest reset of the limits of which nothing is left. After a 429 that
     * tells of no such limit, it is the shortest reset of the limits in tokens: of these one may have too few left.
     *
     * @param status of the response
     * @param field gives the value of a field by its name, in whatever case; several fields of one name joined by a comma; null or
     *     empty = there is none. What it throws is ignored, as if there were none
     * @return zero if the response says nothing; never negative, and never longer than told when this was made
     */
    public Duration retryAfter(int status, Function<? super String, @Nullable String> field) {
        Objects.requireNonNull(field, "field");
        String date = value(field, "Date", MAX_VALUE);
        Instant sent = date == null ? null : FieldTime.httpDate(date);
        Instant now = sent == null ? clock.instant() : sent;
        boolean isRefused = status == TOO_MANY_REQUESTS || status == 503 || status == 529;
        Duration told = isRefused ? retryAfter(field, now) : null;
        return bounded(told == null ? untilReset(status == TOO_MANY_REQUESTS, field, now) : told);
    }

    private static @Nullable Duration retryAfter(Function<? super String, @Nullable String> field, Instant now) {
        String millis = value(field, "retry-after-ms", MAX_VALUE);
        Duration exact = millis == null ? null : FieldTime.millis(millis);
        String text = value(field, "Retry-After", MAX_VALUE);
        Duration whole = text == null ? null : FieldTime.retryAfter(text, now);
        if (exact == null || whole == null) {
            return exact == null ? whole : exact;
        }
        // Whole seconds are rounded up: those that are longer by less than one say the same.
        return whole.compareTo(exact.plusSeconds(1)) < 0 ? exact : whole;
    }

    private static Duration untilReset(boolean tooMany, Function<? super String, @Nullable String> field, Instant now) {
        Duration longest = untilUsedUpIsReset(field);
        Duration shortestOfTokens = null;
        for (Pair pair : PAIRS) {
            String text = value(field, pair.reset, MAX_VALUE);
            Duration reset = text == null ? null : FieldTime.reset(text, now);
            if (reset == null) {
                continue;
            }
            String left = value(field, pair.remaining, MAX_VALUE);
            // Some servers count what they refused, below zero.
            boolean isUsedUp = left == null ? tooMany : NOTHING.matcher(left).matches();
            if (isUsedUp && reset.compareTo(longest) > 0) {
                longest = reset;
            } else if (!isUsedUp && tooMany && pair.byTokens) {
                boolean isShortest = shortestOfTokens == null || reset.compareTo(shortestOfTokens) < 0;
                shortestOfTokens = isShortest ? reset : shortestOfTokens;
            }
        }
        return longest.isZero() && shortestOfTokens != null ? shortestOfTokens : longest;
    }

    /* Without t, the whole quota is there again after a window at most. */
    private static Duration untilUsedUpIsReset(Function<? super String, @Nullable String> field) {
        long longest = untilDictionaryIsReset(field);
        List<Member> policies = list(field, "RateLimit-Policy");
        for (Member limit : list(field, "RateLimit")) {
            Long left = limit.figures().get("r");
            if (limit.name() == null || left == null || left > 0) {
                continue;
            }
            Long reset = limit.figures().get("t");
            if (reset == null) {
                reset = window(policies, limit.name());
            }
            longest = Math.max(longest, reset);
        }
        return Duration.ofSeconds(longest);
    }

    /* Drafts 03 to 07 have one limit in the field: limit=100, remaining=0, reset=12. */
    private static long untilDictionaryIsReset(Function<? super String, @Nullable String> field) {
        String text = value(field, "RateLimit", MAX_LIST);
        Map<String, Long> limit = text == null ? null : StructuredList.dictionary(text);
        if (limit == null || limit.getOrDefault("remaining", 1L) > 0) {
            return 0;
        }
        return Math.max(0, limit.getOrDefault("reset", 0L));
    }

    private static long window(List<Member> policies, String name) {
        return policies.stream()
                .filter(policy -> name.equals(policy.name()))
                .findFirst()
                .map(policy -> policy.figures().getOrDefault("w", 0L))
                .orElse(0L);
    }

    private static List<Member> list(Function<? super String, @Nullable String> field, String name) {
        String text = value(field, name, MAX_LIST);
        List<Member> members = text == null ? null : StructuredList.parse(text);
        return members == null ? List.of() : members;
    }

    private static @Nullable String value(
            Function<? super String, @Nullable String> field, String name, int maxLength) {
        try {
            String text = field.apply(name);
            return text == null || text.isEmpty() || text.length() > maxLength ? null : text;
        } catch (RuntimeException e) {
            return null;
        }
    }

    private Duration bounded(Duration told) {
        if (told.isNegative()) {
            return Duration.ZERO;
        }
        return told.compareTo(atMost) < 0 ? told : atMost;
    }
}
