package dev.weir.config.factory;

import java.math.BigDecimal;
import java.util.Map;

/** The units that may follow a number, with their factors. */
final class Unit {
    static final Map<String, BigDecimal> COUNTS = Map.of(
            "", BigDecimal.ONE,
            "k", power(10, 3),
            "K", power(10, 3),
            "M", power(10, 6),
            "G", power(10, 9));

    static final Map<String, BigDecimal> SIZES = Map.ofEntries(
            Map.entry("", BigDecimal.ONE),
            Map.entry("B", BigDecimal.ONE),
            Map.entry("kB", power(10, 3)),
            Map.entry("KB", power(10, 3)),
            Map.entry("MB", power(10, 6)),
            Map.entry("GB", power(10, 9)),
            Map.entry("TB", power(10, 12)),
            Map.entry("KiB", power(2, 10)),
            Map.entry("MiB", power(2, 20)),
            Map.entry("GiB", power(2, 30)),
            Map.entry("TiB", power(2, 40)));

    /** In nanoseconds. */
    static final Map<String, BigDecimal> TIMES = Map.of(
            "ns", BigDecimal.ONE,
            "us", power(10, 3),
            "µs", power(10, 3),
            "ms", power(10, 6),
            "s", power(10, 9),
            "m", seconds(60),
            "min", seconds(60),
            "h", seconds(3600),
            "d", seconds(86_400));

    private Unit() {}

    private static BigDecimal power(int base, int exponent) {
        return BigDecimal.valueOf(base).pow(exponent);
    }

    private static BigDecimal seconds(long count) {
        return BigDecimal.valueOf(count).multiply(power(10, 9));
    }
}
