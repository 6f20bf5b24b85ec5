package dev.weir.config.builtin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.TokenBucket;
import dev.weir.config.document.DocumentReader;
import dev.weir.config.document.Format;
import dev.weir.config.document.LimitsDocument;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlannedRateTest {
    private static LimitsDocument read(String fields) throws Exception {
        String text = "limits: { a: { algorithm: planned-rate, " + fields + " } }";
        return DocumentReader.system().read("d", text.getBytes(StandardCharsets.UTF_8), Format.YAML);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "per-day: 3M                        | 35",
                "per-day: 3M, peak: 4               | 139",
                "per-day: 3M, busy: 40000s, peak: 4 | 300",
                "per-day: 1                         | 1"
            })
    void isTheRateOfThePeak(String fields, long perSecond) throws Exception {
        assertEquals(
                TokenBucket.of(perSecond, Duration.ofSeconds(1)),
                BuiltinTest.plan("algorithm: planned-rate, " + fields).spec());
    }

    @Test
    void eachBadFieldIsAProblem() throws Exception {
        for (String bad : new String[] {"peak: 4", "per-day: 0", "per-day: 1, busy: 25h", "per-day: 1, peak: 0.5"}) {
            LimitsDocument document = read(bad);
            assertTrue(document.limits().isEmpty(), bad);
            assertEquals(1, document.problems().size(), bad);
        }
    }
}
