package dev.weir.config.value;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.document.Format;
import dev.weir.named.plan.PermitRate;
import java.net.URI;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What each type makes of a text. */
class ConvertersTest {
    private static final Converters CONVERTERS = new Converters(Map.of());

    static Stream<Arguments> texts() {
        return Stream.of(
                Arguments.of(String.class, " as it is ", " as it is "),
                Arguments.of(String.class, "", ""),
                Arguments.of(int.class, "40", 40),
                Arguments.of(Integer.class, " -40 ", -40),
                Arguments.of(int.class, "10k", 10_000),
                Arguments.of(int.class, "2147483647", Integer.MAX_VALUE),
                Arguments.of(long.class, "-9223372036854775808", Long.MIN_VALUE),
                Arguments.of(long.class, "2M", 2_000_000L),
                Arguments.of(Long.class, "64KiB", 65_536L),
                Arguments.of(long.class, "1MB", 1_000_000L),
                Arguments.of(double.class, "0.5", 0.5),
                Arguments.of(Double.class, "-1e3", -1000.0),
                Arguments.of(double.class, "150%", 1.5),
                Arguments.of(boolean.class, "true", true),
                Arguments.of(Boolean.class, " false", false),
                Arguments.of(Duration.class, "200ms", Duration.ofMillis(200)),
                Arguments.of(Duration.class, "PT1.5S", Duration.ofMillis(1500)),
                Arguments.of(PermitRate.class, "100/s", new PermitRate(100, Duration.ofSeconds(1))),
                Arguments.of(TimeUnit.class, "milliseconds", TimeUnit.MILLISECONDS),
                Arguments.of(DayOfWeek.class, "MONDAY", DayOfWeek.MONDAY),
                Arguments.of(Format.class, " yaml ", Format.YAML),
                Arguments.of(Path.class, "/etc/shop", Path.of("/etc/shop")),
                Arguments.of(URI.class, "https://shop.example/a?b=c", URI.create("https://shop.example/a?b=c")));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void convertsWhatTheTypeHas(Class<?> type, String text, Object value) {
        assertEquals(value, CONVERTERS.to(type).apply(text));
    }

    @ParameterizedTest
    @CsvSource({
        "int, 40x47, must be a whole number such as 40; -1; 10k or 64KiB",
        "int, 4.5, must be a whole number such as 40; -1; 10k or 64KiB",
        "int, 1e9, must be a whole number such as 40; -1; 10k or 64KiB",
        "int, 2147483648, must be >= -2147483648 and <= 2147483647",
        "long, 9223372036854775808, must be a whole number such as 40; -1; 10k or 64KiB",
        "double, NaN, must be a number such as 40 or 0.5",
        "double, 1e309, must be a finite number",
        "boolean, yes, must be true or false",
        "duration, 5 parsecs, must be a duration such as 200ms; 5s; 1h or PT5S",
        "rate, 0/s, must be more than 0/s",
        "unit, fortnights, 'must be one of nanoseconds; microseconds; milliseconds; seconds; minutes; hours; days'",
        "path, sec\0ret, must be a path",
        "uri, http://user:sec ret@x, must be a URI",
    })
    void saysTheRuleThatATextBreaksWithoutTheText(String type, String text, String rule) {
        assertEquals(rule, refusal(CONVERTERS.to(named(type)), text).replace(',', ';'));
    }

    private static Class<?> named(String type) {
        return switch (type) {
            case "int" -> int.class;
            case "long" -> long.class;
            case "double" -> double.class;
            case "boolean" -> boolean.class;
            case "duration" -> Duration.class;
            case "rate" -> PermitRate.class;
            case "unit" -> TimeUnit.class;
            case "path" -> Path.class;
            case "uri" -> URI.class;
            default -> throw new IllegalArgumentException(type);
        };
    }

    private static String refusal(Function<String, ?> conversion, String text) {
        return String.valueOf(assertThrows(IllegalArgumentException.class, () -> conversion.apply(text))
                .getMessage());
    }

    @ParameterizedTest
    @CsvSource({"'1s, 2s', 2", "'[1s,2s]', 2", "1s, 1", "'', 0", "[], 0"})
    void listsAreSeparatedByCommas(String text, int size) {
        List<Duration> seconds = List.of(Duration.ofSeconds(1), Duration.ofSeconds(2));
        assertEquals(
                seconds.subList(0, size),
                Converters.list(CONVERTERS.<Duration>to(Duration.class)).apply(text));
    }

    @Test
    void aListIsRefusedForOneElement() {
        Function<String, List<Integer>> numbers = Converters.list(CONVERTERS.<Integer>to(int.class));
        assertThrows(IllegalArgumentException.class, () -> numbers.apply("1,,2"));
        assertThrows(IllegalArgumentException.class, () -> numbers.apply("1,two"));
    }

    private record Colour(String name) {}

    @Test
    void anApplicationsFunctionsComeFirst() {
        Converters own =
                new Converters(Map.of(Colour.class, Colour::new, Integer.class, (String text) -> text.length()));
        assertEquals(new Colour("red"), own.to(Colour.class).apply("red"));
        assertEquals(3, own.to(int.class).apply("red"));
        assertEquals(
                Optional.of(new Colour("red")),
                Converters.optional(own.to(Colour.class)).apply("red"));
    }

    /** The Turkish small letter of I has no dot. */
    @Test
    void namesAreReadInEveryLocale() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("tr"));
            assertEquals(TimeUnit.MINUTES, CONVERTERS.to(TimeUnit.class).apply("MINUTES"));
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void whatAnApplicationsFunctionThrowsIsNotShown() {
        Converters own = new Converters(Map.of(Colour.class, (String text) -> {
            throw new IllegalStateException("cannot read " + text);
        }));
        assertEquals(
                "must be understood by the converter for " + Colour.class.getName()
                        + ", which threw java.lang.IllegalStateException",
                refusal(own.to(Colour.class), "secret"));
        Converters none = new Converters(Map.of(Colour.class, (String text) -> null));
        assertTrue(refusal(none.to(Colour.class), "secret").endsWith("which returned null"));
    }

    @Test
    void aTypeWithoutConverterIsNamed() {
        String message = String.valueOf(assertThrows(IllegalArgumentException.class, () -> CONVERTERS.to(Thread.class))
                .getMessage());
        assertTrue(message.contains("java.lang.Thread"), message);
    }
}
