package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.document.ChecksumLine;
import dev.weir.config.document.Format;
import dev.weir.config.source.Reading;
import dev.weir.config.status.ConfigEvent.Changed;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The order of documents, and the ways out where it was lost: mistyped versions, rebuilt servers, caches, halves of files. */
class RegistryVersionsTest extends RegistryFixture {
    private static final String MOST = "9223372036854775807";

    private static String document(String header, int concurrency) {
        return "document: { " + header + " }\nlimits: { a: { concurrency: " + concurrency + " } }";
    }

    private void put(Reading reading) {
        source.put(reading);
        time.advance(Duration.ofSeconds(2));
    }

    private String rule() {
        return refused().problems().get(0).toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {MOST, "1000008", "20260101"})
    void C3_aVersionThatIsFarTooHighIsRefused(String mistyped) {
        LimiterRegistry registry = registry(document("version: 7", 1));
        write(document("version: " + mistyped, 2));
        assertEquals(
                "memory: the document must have a version of at most 1000007, was " + mistyped
                        + "; replaces: 7 lets a higher one follow",
                rule());
        assertEquals(1, granted(registry.limiter("a")));
        write(document("version: 8", 3));
        assertEquals("8", changed().version());
        write(document("version: 1000008", 4));
        assertEquals("1000008", changed().version());
        assertEquals(4, granted(registry.limiter("a")));
    }

    @Test
    void C3_aVersionThatSaysWhatItReplacesMayBeAnyOther() {
        LimiterRegistry registry = registry(document("version: 7", 1));
        write(document("version: " + MOST + ", replaces: 6", 2));
        refused();
        write(document("version: 7, replaces: 7", 2));
        refused();
        write(document("version: " + MOST + ", replaces: 7", 2));
        assertEquals(MOST, changed().version());
        write(document("version: 8", 3));
        assertTrue(rule().contains("; replaces: " + MOST + " lets a lower one follow"), rule());
        write(document("version: 8, replaces: " + MOST, 3));
        assertEquals("8", changed().version());
        assertEquals(3, granted(registry.limiter("a")));
        write(document("version: 9", 4));
        assertEquals("9", changed().version());
    }

    @Test
    void C3_aMistypedVersionThatWasTakenIsLeftAlsoAfterARestart(@TempDir Path directory) {
        source.write(document("version: " + MOST, 1));
        LimiterRegistry before =
                builder().lastGood(directory.resolve("last-good")).build();
        before.close();
        LimiterRegistry registry =
                builder().lastGood(directory.resolve("last-good")).build();
        write(document("version: 8", 2));
        refused();
        write(document("version: 8, replaces: " + MOST, 2));
        assertEquals(2, granted(registry.limiter("a")));
    }

    @Test
    void anOperatorAcceptsWhatVersionsRefuse() {
        LimiterRegistry registry = registry(document("version: 7", 1));
        assertThrows(IllegalArgumentException.class, () -> registry.accept("8"));
        for (String version : List.of(MOST, "3", "4000000")) {
            write(document("version: " + version, 2));
            refused();
            assertThrows(IllegalArgumentException.class, () -> registry.accept("12"));
            registry.accept(version);
            assertEquals(version, changed().version());
            assertEquals(version, registry.status().version());
        }
        write(document("version: 5000001", 5));
        refused();
    }

    @Test
    void anOperatorDoesNotAcceptWhatIsDamaged() {
        LimiterRegistry registry = registry(document("version: 7", 1));
        write(document("version: 8", 2) + "\n# sha256: " + "0".repeat(64));
        registry.accept("8");
        refused();
        assertEquals(1, granted(registry.limiter("a")));
    }

    @Test
    void whatAnOperatorAcceptedIsInForceAfterARestart(@TempDir Path directory) {
        Path file = directory.resolve("last-good");
        source.write(document("version: 7", 1));
        LimiterRegistry before = builder().lastGood(file).build();
        write("document: { version: 3 }\nlimits: { a: { concurrency: 2 }, b: { concurrency: 0 } }");
        before.accept("3");
        before.close();
        source.goAway();
        LimiterRegistry registry = builder().lastGood(file).build();
        assertEquals(2, granted(registry.limiter("a")));
        assertEquals("3", registry.status().version());
    }

    private static Reading whole(int concurrency, long revision, String epoch) {
        return half("limits: { a: { concurrency: " + concurrency + " } }")
                .revision(revision, epoch)
                .whole();
    }

    @Test
    void C3_aLowerRevisionOfAnotherEpochIsTakenAtOnceAndSaysSo() {
        source.put(whole(1, 205, "one"));
        LimiterRegistry registry = builder().build();
        put(whole(2, 2, "two"));
        assertEquals(
                List.of("memory: the document has revision 2 after 205: the server was rebuilt or restored"),
                changed().problems().stream().map(Object::toString).toList());
        assertEquals(2, granted(registry.limiter("a")));
        put(whole(3, 3, "two"));
        assertEquals(List.of(), changed().problems());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "one"})
    void C3_aLowerRevisionIsHeldAndTakenOnceItHasStayed(String epoch) {
        source.put(whole(1, 205, "one"));
        LimiterRegistry registry = builder().build();
        source.put(whole(2, 2, epoch));
        assertTrue(refused().held());
        assertEquals("memory: the document is held until it has stayed for 30 s: it has revision 2 after 205", rule());
        int told = events.size();
        time.advance(Duration.ofSeconds(29));
        assertEquals(told, events.size());
        assertEquals(1, granted(registry.limiter("a")));
        time.advance(Duration.ofSeconds(1));
        assertEquals(told + 1, events.size());
        assertEquals(1, changed().problems().size());
        assertEquals(2, granted(registry.limiter("a")));
        put(whole(3, 3, epoch));
        assertEquals(List.of(), changed().problems());
    }

    @Test
    void C3_aServerThatLagsIsNeverTakenForARebuiltOne() {
        source.put(whole(1, 205, "one"));
        LimiterRegistry registry = builder().build();
        for (int i = 0; i < 10; i++) {
            source.put(whole(2, 204, "one"));
            time.advance(Duration.ofSeconds(20));
            source.put(whole(1, 205, "one"));
            time.advance(Duration.ofSeconds(20));
        }
        assertEquals(1, granted(registry.limiter("a")));
        assertEquals(2, events.size(), events::toString);
    }

    @Test
    void whatWasHeldIsTakenWhenTheSourceIsBackThoughItWasAwayMeanwhile() {
        source.put(whole(1, 205, ""));
        LimiterRegistry registry = builder().build();
        source.put(whole(2, 2, ""));
        time.advance(Duration.ofSeconds(10));
        source.goAway();
        time.advance(Duration.ofMinutes(5));
        assertEquals(1, granted(registry.limiter("a")));
        source.comeBack();
        time.advance(Duration.ofSeconds(15));
        assertEquals(2, granted(registry.limiter("a")));
        registry.close();
        assertEquals(0, time.pendingAlarms());
    }

    @Test
    void anOperatorAcceptsALowerRevisionAtOnce() {
        source.put(whole(1, 205, ""));
        LimiterRegistry registry = builder().build();
        source.put(whole(2, 2, ""));
        registry.accept("r2");
        assertEquals(2, granted(registry.limiter("a")));
        assertEquals(1, changed().problems().size());
    }

    private int eventsInTurns(String... documents) {
        int told = events.size();
        for (int turn = 0; turn < 20; turn++) {
            put(half(documents[turn % documents.length]).whole());
            time.advance(Duration.ofSeconds(8));
        }
        return events.size() - told;
    }

    @Test
    void twoCachesThatAnswerInTurnAreReportedOnce() {
        LimiterRegistry registry = registry(document("version: 9", 1));
        assertEquals(2, eventsInTurns(document("version: 7", 2), document("version: 8", 3)));
        assertEquals(2, registry.status().refused());
        assertEquals(1, eventsInTurns(document("version: 9", 1), document("version: 6", 4)));
        assertEquals(1, eventsInTurns(document("version: 9", 1), "limits: ["));
        assertEquals(2, eventsInTurns(document("version: 9", 1), document("version: 10", 5)));
        assertEquals(5, granted(registry.limiter("a")));
    }

    @Test
    void twoCachesWithoutVersionsDoNotChangeTheLimitsInTurn() {
        source.put(half("limits: { a: { concurrency: 1 } }").whole());
        LimiterRegistry registry = builder().build();
        int told = eventsInTurns("limits: { a: { concurrency: 2 } }", "limits: { a: { concurrency: 1 } }");
        assertEquals(2, told, events::toString);
        assertEquals(2, granted(registry.limiter("a")));
        time.advance(Duration.ofSeconds(30));
        assertEquals(1, granted(registry.limiter("a")), "what stays is meant");
        assertEquals(List.of(), changed().problems());
    }

    /** A file is no cache: what was written back is in force when it has settled. */
    @Test
    void aFileThatIsWrittenBackIsTakenAtOnce() {
        source.put(half("limits: { a: { concurrency: 1 } }").settled());
        LimiterRegistry registry = builder().build();
        for (int i = 0; i < 4; i++) {
            put(half("limits: { a: { concurrency: " + (2 - i % 2) + " } }").settled());
            assertEquals(2 - i % 2, granted(registry.limiter("a")));
        }
    }

    @Test
    void C2_theCompleteFileFollowsAHalfOneOfTheSameVersion() {
        source.write("document: { version: 1 }\nlimits: { a: { concurrency: 1 } }\nvalues: { n: 1 }");
        LimiterRegistry registry = builder().build();
        String start = "document: { version: 2 }\nvalues: { n: 1 }\nlimits:\n  a: { concurrency: 1 }\n";
        put(half(start + "  b:\n    concurrency: 4").settled());
        assertEquals(4, granted(registry.limiter("b")), "half of 40");
        put(half(start + "  b:\n    concurrency: 40\n  c: { concurrency: 3 }\n").settled());
        assertEquals(40, granted(registry.limiter("b")));
        put(half("document: { version: 2 }\nvalues: { n: 1, m: 2 }\nlimits:\n  a: { concurrency: 1, queue: 3 }\n"
                        + "  b: { concurrency: 40 }\n  c: { concurrency: 3 }\n")
                .settled());
        assertEquals("2", changed().version());
        assertEquals(
                Map.of("concurrency", "1", "queue", "3"),
                registry.limiter("a").status().settings());
        put(half("document: { version: 2 }\nvalues: { n: 1, m: 2 }\nlimits:\n  a: { concurrency: 1, queue: 3 }\n"
                        + "  b: { concurrency: 41 }\n  c: { concurrency: 3 }\n  d: { concurrency: 3 }\n")
                .settled());
        assertTrue(rule().contains("must have a higher version than 2"), rule());
    }

    @Test
    void C2_aFileThatRestsDoesNotProveARemoval() {
        source.write("limits: { a: { concurrency: 1 }, b: { concurrency: 2 } }\nvalues: { m: { n: 1 } }");
        LimiterRegistry registry = builder().build();
        for (String lacking : List.of(
                "limits:\n  a: { concurrency: 9 }\nvalues: { m: { n: 1 } }\n",
                "limits:\n  a: { concurrency: 9 }\n  b: { concurrency: 9 }\n")) {
            put(half(lacking).settled());
            assertTrue(refused().held());
            assertTrue(rule().contains(lacking.contains("b:") ? "it lacks values.m.n;" : "it lacks b;"), rule());
            time.advance(Duration.ofHours(1));
            assertEquals(1, granted(registry.limiter("a")));
        }
        put(half("limits:\n  a: { concurrency: 9 }\n  b: { concurrency: zero }\nvalues: { m: 3 }\n")
                .settled());
        assertTrue(refused().held(), "a value that is another key now");
        put(half("limits:\n  a: { concurrency: 9 }\n  b: { concurrency: zero }\nvalues: { m: { n: null } }\n")
                .settled());
        assertEquals(2, changed().problems().size(), "wrong is not missing");
        assertEquals(9, granted(registry.limiter("a")));
        put(half("limits:\n  a: { concurrency: 8 }\n...\n"));
        assertEquals(8, granted(registry.limiter("a")));
    }

    @Test
    void aMessageNamesSomeOfWhatIsMissing() {
        registry("limits: {}\nvalues: { a: 1, b: 1, c: 1, d: 1, e: 1 }");
        put(half("limits: {}\nvalues: {}\n").settled());
        assertTrue(rule().contains("it lacks values.a, values.b, values.c, values.d, values.e;"), rule());
        write("limits: {}\nvalues: { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1 }");
        put(half("limits: {}\nvalues: {}\n# 2\n").settled());
        assertTrue(rule().contains("it lacks values.a, values.b, values.c, values.d, values.e and more;"), rule());
    }

    @Test
    void aChecksumThatIsWrongIsNoProof() {
        registry("limits: {}");
        byte[] sealed = ChecksumLine.added("limits: {}\n".getBytes(StandardCharsets.UTF_8));
        sealed[sealed.length - 2] ^= 1;
        put(Reading.of(sealed, Format.YAML).whole());
        assertFalse(refused().held());
        assertEquals(1, events.stream().filter(Changed.class::isInstance).count());
    }
}
