package dev.weir.config.factory;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;

/** The types of values that are one word or number, with their units. */
final class Units {
    static final ValueType<Long> COUNT = scalar(
            "a whole number such as 40, 10k or 2M", "-?[0-9]+([.][0-9]+)?[kKMG]?", text -> whole(Quantity.count(text)));

    static final ValueType<Double> NUMBER =
            scalar("a number such as 40 or 0.5", "-?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]{1,3})?", Units::finite);

    static final ValueType<Double> SHARE = scalar("a share such as 0.1 or 10%", "-?[0-9]+([.][0-9]+)?%?", Units::share);

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

    static final ValueType<String> TEXT = new ValueType.Scalar<>(
            "text of 1 to 128 characters without control characters", "[^\\u0000-\\u001F\\u007F]{1,128}", Units::text);

    private static final int MAX_CHARS = 64;
    private static final int MAX_TEXT = 128;
    /** What may stand after the slash of a rate in place of a unit. */
    private static final Map<String, String> WORDS =
            Map.of("sec", "s", "second", "s", "minute", "min", "hour", "h", "day", "d");

    private static final BigDecimal PERCENT = BigDecimal.valueOf(0.01);

    private Units() {}

    /** One of these names, in the order of the map. */
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
