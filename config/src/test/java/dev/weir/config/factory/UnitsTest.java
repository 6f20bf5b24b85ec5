package dev.weir.config.factory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.factory.Field.Units;
import dev.weir.named.plan.PermitRate;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnitsTest {
    private enum Curve {
        STRAIGHT_LINE,
        ARC,
        BEND
    }

    private static <T> T parsed(ValueType<T> type, String text) {
        ValueType.Scalar<T> scalar = (ValueType.Scalar<T>) type;
        assertTrue(
                Pattern.compile("^(" + scalar.pattern() + ")$").matcher(text).find(),
                () -> text + " is parsed, but " + scalar.pattern() + " excludes it");
        return scalar.parse().apply(text);
    }

    private static String refused(ValueType<?> type, String text) {
        ValueType.Scalar<?> scalar = (ValueType.Scalar<?>) type;
        return assertThrows(IllegalArgumentException.class, () -> scalar.parse().apply(text), text)
                .getMessage();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "40, 40",
        "-5, -5",
        "10k, 10000",
        "10K, 10000",
        "2M, 2000000",
        "3G, 3000000000",
        "1.5k, 1500",
        "40.0, 40",
        "0.001k, 1",
        "9223372036854775807, 9223372036854775807",
        "-9223372036854775808, -9223372036854775808"
    })
    void counts(String text, long value) {
        assertEquals(value, parsed(Units.COUNT, text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "-",
                "+5",
                "040",
                "00",
                "0x10",
                "0o17",
                "1e3",
                "1e309",
                "1.5",
                "1.",
                ".5",
                "1_000",
                "1,000",
                "NaN",
                ".nan",
                "Infinity",
                ".inf",
                "true",
                "null",
                "ten",
                "10 k",
                "10kk",
                "10m",
                "k",
                "1\n",
                "1\u0000",
                "\u0661\u0662",
                "9223372036854775808",
                "-9223372036854775809",
                "10000000000G",
                "--5",
                "5-"
            })
    void notCounts(String text) {
        assertTrue(refused(Units.COUNT, text).startsWith("must be "));
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "0.5, 0.5", "-1.25, -1.25", "1e3, 1000", "1E-3, 0.001", "1e+2, 100", "5e-324, 4.9E-324"})
    void numbers(String text, double value) {
        assertEquals(value, parsed(Units.NUMBER, text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "1e309", "-1e309", "1e", "1e+", "e5", "1e1000", "NaN", ".inf", "0x1p3", "1f", "1d", "+1", "01",
                "1 ", "50%"
            })
    void notNumbers(String text) {
        assertTrue(refused(Units.NUMBER, text).startsWith("must be "));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1", "0.1, 0.1", "10%, 0.1", "100%, 1", "0.1%, 0.001", "33.3%, 0.333", "150%, 1.5", "-1, -1"
    })
    void shares(String text, double value) {
        assertEquals(value, parsed(Units.SHARE, text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "%", "10%%", "10 %", "1e-1", "NaN", "half", "+1%", "010%"})
    void notShares(String text) {
        assertTrue(refused(Units.SHARE, text).startsWith("must be "));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1ns, 1",
        "1us, 1000",
        "200ms, 200000000",
        "0.5ms, 500000",
        "5s, 5000000000",
        "1m, 60000000000",
        "1min, 60000000000",
        "1.5h, 5400000000000",
        "1d, 86400000000000",
        "-5s, -5000000000",
        "PT5S, 5000000000",
        "PT0.2S, 200000000",
        "pt1m, 60000000000",
        "-PT5S, -5000000000",
        "P1D, 86400000000000",
        "106751d, 9223286400000000000"
    })
    void durations(String text, long nanos) {
        assertEquals(Duration.ofNanos(nanos), parsed(Units.DURATION, text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "5",
                "1.5",
                "s",
                "5 s",
                "5sec",
                "5S",
                "5M",
                "1w",
                "1y",
                "1e3s",
                "+5s",
                "05s",
                "0.1ns",
                "1.0000000001s",
                "NaNs",
                "106752d",
                "9223372036854775808ns",
                "PT",
                "P",
                "P1Y",
                "PT1e3S",
                "PT9223372036854775808S",
                "PT9223372036854775807S",
                "-PT9223372036854775807S",
                "PT-9223372036854775808S",
                "1h30m",
                "true"
            })
    void notDurations(String text) {
        assertTrue(refused(Units.DURATION, text).startsWith("must be "));
    }

    @ParameterizedTest
    @CsvSource({
        "100/s, 100, PT1S",
        "1000/15min, 1000, PT15M",
        "5/min, 5, PT1M",
        "10k/h, 10000, PT1H",
        "1.5k/s, 1500, PT1S",
        "0.5/s, 1, PT2S",
        "2.5/s, 5, PT2S",
        "0.1/s, 1, PT10S",
        "0.333/s, 333, PT1000S",
        "1.0/s, 1, PT1S",
        "0.25/2h, 1, PT8H",
        "1/PT30S, 1, PT30S",
        "7/d, 7, P1D",
        "3/500us, 3, PT0.0005S",
        "100/sec, 100, PT1S",
        "100/second, 100, PT1S",
        "0.5/min, 1, PT2M",
        "100/minute, 100, PT1M",
        "1k/hour, 1000, PT1H",
        "7/day, 7, P1D"
    })
    void rates(String text, long permits, Duration period) {
        assertEquals(new PermitRate(permits, period), parsed(Units.RATE, text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "100",
                "100/",
                "/s",
                "100/0s",
                "0/s",
                "0.0/s",
                "-1/s",
                "100/-1s",
                "100/-PT1S",
                "100 / s",
                "100ps",
                "1/1/s",
                "1e3/s",
                "NaN/s",
                "0x10/s",
                "100/5",
                "0.0000000000000000001/d",
                "99999999999999999999/s",
                "+1/s",
                "01/s",
                "1/5sec",
                "1/seconds"
            })
    void notRates(String text) {
        assertTrue(refused(Units.RATE, text).startsWith("must be "));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "512, 512",
        "512B, 512",
        "1kB, 1000",
        "1KB, 1000",
        "64KiB, 65536",
        "1MB, 1000000",
        "1MiB, 1048576",
        "1.5MiB, 1572864",
        "2GB, 2000000000",
        "1GiB, 1073741824",
        "1TB, 1000000000000",
        "1TiB, 1099511627776"
    })
    void bytes(String text, long value) {
        assertEquals(value, parsed(Units.BYTES, text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "64k", "64 KiB", "0.3B", "1PB", "8388608TiB", "KiB", "1e3", "+1KB", "064KB", "1kib"})
    void notBytes(String text) {
        assertTrue(refused(Units.BYTES, text).startsWith("must be "));
    }

    @Test
    void flags() {
        assertEquals(true, parsed(Units.FLAG, "true"));
        assertEquals(false, parsed(Units.FLAG, "false"));
        for (String text : List.of("", "True", "yes", "on", "1", "no", "y", "null", "truely")) {
            assertEquals("must be true or false", refused(Units.FLAG, text));
        }
    }

    @Test
    void textHasNoControlCharacters() {
        assertEquals("a b", parsed(Units.TEXT, "a b"));
        assertEquals("x".repeat(128), parsed(Units.TEXT, "x".repeat(128)));
        for (String text :
                List.of("", "x".repeat(129), "a\nb", "a\rb", "\u001B[31m", "\u202Eabc", "\u2028", "\u0000")) {
            assertTrue(refused(Units.TEXT, text).startsWith("must be text of 1 to 128"));
        }
    }

    @Test
    void choicesAreInTheirOrder() {
        ValueType.Scalar<Curve> type =
                (ValueType.Scalar<Curve>) Field.choice("curve", Curve.class).type();
        assertEquals("one of straight-line, arc, bend", type.label());
        assertEquals("straight-line|arc|bend", type.pattern());
        assertEquals(Curve.STRAIGHT_LINE, parsed(type, "straight-line"));
        for (String text : List.of("", "STRAIGHT_LINE", "straight_line", "arc ", "curve")) {
            assertEquals("must be one of straight-line, arc, bend", refused(type, text));
        }
        assertEquals(1, parsed(Units.choice(Map.of("only", 1)), "only"));
    }

    /** Nothing but the rule itself is thrown, and text of any length is refused after its first characters. */
    @Test
    void noTextIsTooLong() {
        List<ValueType<?>> types = Arrays.asList(
                Units.COUNT,
                Units.NUMBER,
                Units.SHARE,
                Units.DURATION,
                Units.RATE,
                Units.BYTES,
                Units.FLAG,
                Units.TEXT);
        for (String part : List.of("9", "0", "a", "(a+)+$", "1/", "P1D", "-", ".", "1.", "e", "\uD800")) {
            String text = part.repeat(1 << 18);
            for (ValueType<?> type : types) {
                assertTrue(refused(type, text).startsWith("must be "));
                assertTrue(refused(type, text).length() < 200);
            }
        }
    }
}
