package dev.weir.config.builtin;

import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import java.time.Duration;

/** Fields and types of values that several factories have. */
final class Fields {
    private static final String PERCENTAGE = "(100|[1-9]?[0-9])%?";

    /** A whole percentage: an {@code Integer} from 0 to 100. */
    static final ValueType<Integer> PERCENT =
            new ValueType.Scalar<>("a whole percentage from 0 to 100 such as 60 or 60%", PERCENTAGE, Fields::percent);

    /** The most permits of a rate. */
    static final long MOST_PERMITS = 1L << 60;

    /** The longest time of algorithms and disciplines: 73 years, in whole days. */
    static final Duration LONGEST = Duration.ofDays(26_687);

    private Fields() {}

    /** A duration of 1 ns to 73 years. */
    static Field<Duration> time(String name) {
        return Field.duration(name).atLeast(Duration.ofNanos(1)).atMost(LONGEST);
    }

    private static Integer percent(String text) {
        if (!text.matches(PERCENTAGE)) {
            throw new IllegalArgumentException("must be a whole percentage from 0 to 100 such as 60 or 60%");
        }
        return Integer.valueOf(text.replace("%", ""));
    }
}
