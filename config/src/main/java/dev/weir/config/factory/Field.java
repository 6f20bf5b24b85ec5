package dev.weir.config.factory;

import dev.weir.named.plan.PermitRate;
import dev.weir.spi.StrategySpec;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A field of a document: its name, its type of value, its range, its default and its meaning. Immutable; the methods that are
 * called like a property return a copy with it.
 *
 * @param name in documents: lower-case letters, digits and hyphens
 * @param type what may be written
 * @param description a sentence for the editor of a document
 * @param min the lowest value; null = any
 * @param max the highest value; null = any
 * @param fallback the value where the document gives none; null = none
 * @param required whether the document must give a value
 * @param <T> the type of its values
 */
public record Field<T>(
        String name,
        ValueType<T> type,
        String description,
        @Nullable T min,
        @Nullable T max,
        @Nullable T fallback,
        boolean required) {
    /** Checks the components. */
    public Field {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(description, "description");
    }

    /** A field of this type, without range and default, that may be missing. */
    public static <T> Field<T> of(String name, ValueType<T> type) {
        return new Field<>(name, type, "", null, null, null, false);
    }

    /** A whole number of permits or the like, at least 1; {@code 10k} and {@code 2M} are understood. */
    public static Field<Long> count(String name) {
        return of(name, Units.COUNT).atLeast(1L);
    }

    /** A finite number. */
    public static Field<Double> number(String name) {
        return of(name, Units.NUMBER);
    }

    /** A share from 0 to 1, such as {@code 0.1} or {@code 10%}. */
    public static Field<Double> share(String name) {
        return of(name, Units.SHARE).atLeast(0.0).atMost(1.0);
    }

    /** A duration, not negative, such as {@code 200ms} or {@code PT0.2S}. */
    public static Field<Duration> duration(String name) {
        return of(name, Units.DURATION).atLeast(Duration.ZERO);
    }

    /** Permits per time, such as {@code 100/s} or {@code 1000/15min}. */
    public static Field<PermitRate> rate(String name) {
        return of(name, Units.RATE);
    }

    /** A number of bytes, such as {@code 64KiB}. */
    public static Field<Long> bytes(String name) {
        return of(name, Units.BYTES).atLeast(0L);
    }

    /** {@code true} or {@code false}. */
    public static Field<Boolean> flag(String name) {
        return of(name, Units.FLAG);
    }

    /** Text of 1 to 128 characters without control characters. */
    public static Field<String> text(String name) {
        return of(name, Units.TEXT);
    }

    /** One of the constants, in lower case with hyphens. */
    public static <E extends Enum<E>> Field<E> choice(String name, Class<E> constants) {
        Map<String, E> names = new LinkedHashMap<>();
        for (E constant : constants.getEnumConstants()) {
            names.put(constant.name().toLowerCase(Locale.ROOT).replace('_', '-'), constant);
        }
        return of(name, Units.choice(names));
    }

    /** A list of values of this type. */
    public static <E> Field<List<E>> list(String name, ValueType<E> element) {
        return of(name, new ValueType.ListOf<>(element));
    }

    /** A map from text to values of this type. */
    public static <E> Field<Map<String, E>> map(String name, ValueType<E> value) {
        return of(name, new ValueType.MapOf<>(value));
    }

    /** A discipline ({@code DisciplineSpec}), controller or signal by the name that a factory gives it. */
    public static <T> Field<T> named(String name, Class<T> created) {
        return of(name, new ValueType.Named<>(created));
    }

    /** Another limit. */
    public static Field<StrategySpec> limit(String name) {
        return of(name, new ValueType.Limit());
    }

    /** The same with a sentence about its meaning. */
    public Field<T> describedAs(String sentence) {
        return new Field<>(name, type, sentence, min, max, fallback, required);
    }

    /** The same with a lowest value. */
    public Field<T> atLeast(T lowest) {
        return new Field<>(name, type, description, lowest, max, fallback, required);
    }

    /** The same with a highest value. */
    public Field<T> atMost(T highest) {
        return new Field<>(name, type, description, min, highest, fallback, required);
    }

    /** The same with a value for where the document gives none. */
    public Field<T> orElse(T value) {
        return new Field<>(name, type, description, min, max, value, required);
    }

    /** The same, and the document must give a value. */
    public Field<T> needed() {
        return new Field<>(name, type, description, min, max, fallback, true);
    }

    /** The types of values that are one word or number, with their units. */
    static final class Units {
        static final ValueType<Long> COUNT = scalar(
                "a whole number such as 40, 10k or 2M",
                "-?[0-9]+([.][0-9]+)?[kKMG]?",
                text -> whole(Quantity.count(text)));

        static final ValueType<Double> NUMBER =
                scalar("a number such as 40 or 0.5", "-?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]{1,3})?", Units::finite);

        static final ValueType<Double> SHARE =
                scalar("a share such as 0.1 or 10%", "-?[0-9]+([.][0-9]+)?%?", Units::share);

        static final ValueType<Duration> DURATION = scalar(
                "a duration such as 200ms, 5s, 1h or PT5S",
                "0|-?[0-9]+([.][0-9]+)?(ns|us|µs|ms|s|m|min|h|d)|[-+]?[Pp].*",
                Quantity::duration);

        static final ValueType<PermitRate> RATE =
                scalar("a rate such as 100/s or 1000/15min", "-?[0-9]+([.][0-9]+)?[kKMG]?/.+", Units::rate);

        static final ValueType<Long> BYTES = scalar(
                "a size such as 512, 64KiB or 1MB",
                "-?[0-9]+([.][0-9]+)?(B|kB|KB|MB|GB|TB|KiB|MiB|GiB|TiB)?",
                text -> whole(Quantity.size(text)));

        static final ValueType<Boolean> FLAG = scalar("true or false", "true|false", Units::flag);

        static final ValueType<String> TEXT =
                new ValueType.Scalar<>("text of 1 to 128 characters", "[^\\u0000-\\u001F\\u007F]{1,128}", Units::text);

        private static final int MAX_CHARS = 64;
        private static final int MAX_TEXT = 128;
        /** The words that may stand after the slash of a rate in place of a unit. */
        private static final Map<String, String> WORDS =
                Map.of("sec", "s", "second", "s", "minute", "min", "hour", "h", "day", "d");

        private static final BigDecimal PERCENT = BigDecimal.valueOf(0.01);

        private Units() {}

        static <E> ValueType<E> choice(Map<String, E> names) {
            String label = "one of " + String.join(", ", names.keySet());
            return new ValueType.Scalar<>(label, String.join("|", names.keySet()), text -> {
                E chosen = names.get(text);
                if (chosen == null) {
                    throw new IllegalArgumentException("must be " + label);
                }
                return chosen;
            });
        }

        private static <T> ValueType<T> scalar(String label, String pattern, Function<String, T> parse) {
            return new ValueType.Scalar<>(label, pattern, text -> {
                if (text.length() > MAX_CHARS) {
                    throw new IllegalArgumentException("must be " + label);
                }
                try {
                    return parse.apply(text);
                } catch (NumberFormatException e) {
                    throw new IllegalArgumentException("must be " + label, e);
                }
            });
        }

        private static long whole(BigDecimal value) {
            try {
                return value.longValueExact();
            } catch (ArithmeticException e) {
                String bound = value.signum() < 0 ? "must be >= " + Long.MIN_VALUE : "must be <= " + Long.MAX_VALUE;
                boolean isWhole = value.stripTrailingZeros().scale() <= 0;
                throw new IllegalArgumentException(isWhole ? bound : "must be a whole number", e);
            }
        }

        private static Double finite(String text) {
            double value = Quantity.exponential(text);
            if (Double.isInfinite(value)) {
                throw new IllegalArgumentException("must be a finite number");
            }
            return value;
        }

        private static Double share(String text) {
            boolean isPercent = text.endsWith("%");
            BigDecimal number = Quantity.plain(isPercent ? text.substring(0, text.length() - 1) : text);
            return (isPercent ? number.multiply(PERCENT) : number).doubleValue();
        }

        private static PermitRate rate(String text) {
            int slash = text.indexOf('/');
            if (slash < 0) {
                throw new IllegalArgumentException("must be a rate such as 100/s or 1000/15min: the time is missing");
            }
            BigDecimal permits = Quantity.count(text.substring(0, slash));
            Duration period = period(text.substring(slash + 1));
            if (permits.signum() <= 0) {
                throw new IllegalArgumentException("must be more than 0/s");
            }
            BigInteger per = BigInteger.ONE;
            if (permits.stripTrailingZeros().scale() > 0) {
                BigInteger scale = BigInteger.TEN.pow(permits.scale());
                BigInteger unscaled = permits.unscaledValue();
                per = scale.divide(scale.gcd(unscaled));
                permits = new BigDecimal(unscaled.divide(scale.gcd(unscaled)));
            }
            BigInteger nanos = per.multiply(BigInteger.valueOf(period.toNanos()));
            if (nanos.bitLength() >= Long.SIZE) {
                throw new IllegalArgumentException("must be a rate of 1 or more in 292 years");
            }
            return new PermitRate(whole(permits), Duration.ofNanos(nanos.longValue()));
        }

        private static Duration period(String text) {
            String unit = WORDS.getOrDefault(text, text);
            Duration period = Quantity.duration(
                    !unit.isEmpty() && Character.isLetter(unit.charAt(0)) && unit.charAt(0) != 'P' ? "1" + unit : unit);
            if (period.isNegative() || period.isZero()) {
                throw new IllegalArgumentException("must be a rate such as 100/s: the time must be > 0");
            }
            return period;
        }

        private static Boolean flag(String text) {
            if (!text.equals("true") && !text.equals("false")) {
                throw new IllegalArgumentException("must be true or false");
            }
            return text.equals("true");
        }

        private static String text(String text) {
            if (text.isEmpty() || text.length() > MAX_TEXT || text.chars().anyMatch(Units::isControl)) {
                throw new IllegalArgumentException("must be text of 1 to 128 characters without control characters");
            }
            return text;
        }

        private static boolean isControl(int character) {
            int type = Character.getType(character);
            return type == Character.CONTROL
                    || type == Character.FORMAT
                    || type == Character.LINE_SEPARATOR
                    || type == Character.PARAGRAPH_SEPARATOR;
        }
    }
}
