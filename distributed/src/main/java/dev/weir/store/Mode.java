package dev.weir.store;

import dev.weir.internal.Durations;
import dev.weir.internal.Require;
import java.time.Duration;

/** The way in which an instance decides by a limit that a store counts: {@link Exact}, {@link Verdict} or {@link Batched}. */
public sealed interface Mode {
    /** The mode with one round trip to the store for each decision: never more than the limit, for any number of instances. */
    record Exact() implements Mode {}

    /**
     * The mode that decides from the last answer of the store: a request is answered at once if that answer, for its key, left
     * enough permits, and is counted by the store afterwards. A refused key is refused here until its {@code retryAfter}.
     * Otherwise the store is asked. What an instance has granted and the store has not counted is never more than what remained
     * by the last answer, and what the store counts beyond the limit is owed, also by the windows that follow: so in any time,
     * however long, n instances grant at most n bursts more than the limit allows.
     *
     * @param freshFor for how long the last answer for a key is used; then a request waits for the next answer
     */
    record Verdict(Duration freshFor) implements Mode {
        /**
         * @throws IllegalArgumentException if {@code freshFor} is not positive
         */
        public Verdict {
            Durations.positive("freshFor", freshFor);
        }
    }

    /**
     * The mode that takes permits from the store in batches, sized by the demand of this instance, and grants them without a
     * round trip. What is not used returns or expires. An instance holds at most {@code maxUnused} permits of a key that it has
     * not granted, and none for longer than {@code expiry}: so n instances grant at most {@code n * maxUnused} more in a window
     * than the limit allows, and at most as many fewer.
     *
     * @param maxUnused permits, at least 1
     * @param expiry for how long permits that are not granted are kept
     */
    record Batched(long maxUnused, Duration expiry) implements Mode {
        /**
         * @throws IllegalArgumentException if {@code maxUnused < 1} or {@code expiry} is not positive
         */
        public Batched {
            Require.that(maxUnused >= 1, "maxUnused must be >= 1", maxUnused);
            Durations.positive("expiry", expiry);
        }
    }

    /** The mode {@link Exact}: the store decides each request. */
    static Mode exact() {
        return new Exact();
    }

    /** {@link Verdict}, with answers used for one second. */
    static Mode verdict() {
        return new Verdict(Duration.ofSeconds(1));
    }

    /**
     * {@link Batched}, with permits kept for one second.
     *
     * @throws IllegalArgumentException if {@code maxUnused < 1}
     */
    static Mode batched(long maxUnused) {
        return new Batched(maxUnused, Duration.ofSeconds(1));
    }
}
