package dev.weir.config.factory;

import java.time.Duration;
import java.util.Map;

/** The values that are one word or number, with their units. */
final class Units {
    static final ValueType<Long> COUNT = scalar("a whole number such as 40, 10k or 2M");
    static final ValueType<Double> NUMBER = scalar("a number");
    static final ValueType<Double> SHARE = scalar("a share such as 0.1 or 10%");
    static final ValueType<Duration> DURATION = scalar("a duration such as 200ms, 5s or 1h");
    static final ValueType<PermitRate> RATE = scalar("a rate such as 100/s or 1000/15min");
    static final ValueType<Long> BYTES = scalar("a size such as 512, 64KiB or 1MB");
    static final ValueType<Boolean> FLAG = scalar("true or false");
    static final ValueType<String> TEXT = new ValueType.Scalar<>("text", ".{1,128}", text -> text);

    private Units() {}

    static <E> ValueType<E> choice(Map<String, E> names) {
        return scalar("one of " + names.keySet());
    }

    private static <T> ValueType<T> scalar(String label) {
        return new ValueType.Scalar<>(label, ".*", text -> {
            throw new IllegalArgumentException("must be " + label);
        });
    }
}
