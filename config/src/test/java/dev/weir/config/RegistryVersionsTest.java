package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.source.Reading;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
    void anOperatorDoesNotAcceptWhatMayBeHalfOfADocument() {
        LimiterRegistry registry = registry(document("version: 7", 1));
        put(half("document: { version: 3 }\nlimits:\n  a: { concurrency: 2 }"));
        registry.accept("3");
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
    void C3_aLowerRevisionIsOfAServerThatLagsAndIsRefused(String epoch) {
        source.put(whole(1, 205, "one"));
        LimiterRegistry registry = builder().build();
        for (int i = 0; i < 10; i++) {
            source.put(whole(2, 204, epoch));
            time.advance(Duration.ofMinutes(1));
            assertEquals(
                    "memory: the document must have a revision of at least 205, was 204; a version in it lets it follow",
                    rule());
            source.put(whole(1, 205, epoch));
            time.advance(Duration.ofMinutes(1));
        }
        assertEquals(1, granted(registry.limiter("a")));
        assertEquals(2, events.size(), events::toString);
        put(half(document("version: 1", 3)).revision(3, epoch).whole());
        assertEquals(3, granted(registry.limiter("a")));
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
    void aFileThatIsWrittenBackIsTaken() {
        source.put(half("limits: { a: { concurrency: 1 } }\n"));
        LimiterRegistry registry = builder().build();
        for (int i = 0; i < 4; i++) {
            put(half("limits: { a: { concurrency: " + (2 - i % 2) + " } }\n"));
            assertEquals(2 - i % 2, granted(registry.limiter("a")));
        }
    }

    @Test
    void C2_theCompleteFileFollowsAHalfOneOfTheSameVersion() {
        source.write("document: { version: 1 }\nlimits: { a: { concurrency: 1 } }\nvalues: { n: 1 }");
        LimiterRegistry registry = builder().build();
        String start = "document: { version: 2 }\nlimits:\n  a: { concurrency: 2 }\n";
        put(half(start));
        assertEquals(2, granted(registry.limiter("a")));
        put(half(start + "  b: { concurrency: 4"));
        refused();
        put(half(start + "  b: { concurrency: 40 }\n"));
        assertEquals(40, granted(registry.limiter("b")));
        put(half(start + "  b: { concurrency: 41 }\n  c: { concurrency: 3 }\n"));
        assertTrue(rule().contains("must have a higher version than 2"), rule());
        put(half(start + "  b: { concurrency: 40 }\n  c: { concurrency: 3 }\n").whole());
        assertTrue(rule().contains("must have a higher version than 2"), rule());
    }
}
