package dev.weir.console;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import dev.weir.console.ConsolePages.Options;
import dev.weir.keyed.HeavyHitters;
import dev.weir.keyed.Keyed;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Names, keys and reasons that are not harmless as a part of a page: they arrive as the text that they are. */
class HostileTextsTest {
    private static final List<String> HOSTILE = List.of(
            "<img src=x onerror=alert(1)>",
            "</script><script>alert(1)</script>",
            "\"}],\"rows\":[{\"name\":\"forged",
            "'; alert(1); //",
            "\\u003cb\\u003e",
            "\u2028\u2029\u202e\ufeff",
            "half \ud800 of a pair",
            "\udc00",
            "\ud83d\ude00 && \u0000\u0007\u001b[31m\r\ndata: forged\n\nevent: whole");

    private final LimiterRegistry registry = LimiterRegistry.builder().build();

    @AfterEach
    void close() {
        registry.close();
    }

    private static List<String> texts(String json) throws Exception {
        List<String> texts = new ArrayList<>();
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.VALUE_STRING) {
                    texts.add(parser.getText());
                }
            }
        }
        return texts;
    }

    private static void assertHarmless(String json) {
        assertTrue(json.chars().allMatch(c -> c >= ' ' && c < 0x7f && "<>&'".indexOf(c) < 0), json);
    }

    @Test
    void aTextIsAsciiInOneLineAndComesBackAsItWas() throws Exception {
        String json = JsonWriter.object(all -> all.texts("all", HOSTILE)
                .object("inner", inner -> HOSTILE.forEach(each -> inner.text(each, each)))
                .raw("quoted", JsonWriter.quoted(HOSTILE.get(1))));
        assertHarmless(json);
        List<String> read = texts(json);
        assertEquals(HOSTILE, read.subList(0, HOSTILE.size()));
        assertEquals(HOSTILE, read.subList(HOSTILE.size(), 2 * HOSTILE.size()));
    }

    @Test
    void limitsKeysAndReasonsArriveAsTheyAre() throws Exception {
        HeavyHitters hot = new HeavyHitters();
        Options options = new Options(registry);
        options.showsKeys = true;
        try (ConsolePages pages = new ConsolePages(options)) {
            for (String name : HOSTILE.subList(0, 6)) {
                registry.limiter(name, Keyed.of(new Semaphore(5), 100).watchedBy(hot));
                for (int i = 0; i < 500; i++) {
                    registry.limiter(name).run(Request.forKey(name), () -> {});
                }
                String why = JsonWriter.quoted(name + HOSTILE.get(6));
                String change = "{\"name\":" + JsonWriter.quoted(name) + ",\"patch\":{\"enforce\":0,\"concurrency\":7,"
                        + "\"key\":true},\"why\":" + why + ",\"revision\":"
                        + registry.limiter(name).status().revision() + "}";
                Answer changed =
                        pages.answer("POST", "api/override", null, change.getBytes(StandardCharsets.UTF_8), name, true);
                String detail = new String(changed.body(), StandardCharsets.UTF_8);
                assertEquals(200, changed.status(), detail);
                assertHarmless(detail);
                assertTrue(texts(detail).contains(name), detail);
                assertTrue(texts(detail).contains(name + HOSTILE.get(6)), detail);
                String query = "name=" + URLEncoder.encode(name, StandardCharsets.UTF_8);
                assertEquals(
                        200,
                        pages.answer("GET", "api/limit", query, new byte[0], "", false)
                                .status());
            }
            await().untilAsserted(() -> {
                String rows = rows(pages);
                assertHarmless(rows);
                assertTrue(texts(rows).containsAll(HOSTILE.subList(0, 6)), rows);
            });
        }
    }

    private static String rows(ConsolePages pages) {
        Answer answer = pages.answer("GET", "api/rows", null, new byte[0], "", false);
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    @Test
    void aReasonIsOneLineOfTheLog() throws Exception {
        registry.limiter("checkout", new Semaphore(20));
        String change = "{\"name\":\"checkout\",\"patch\":{\"concurrency\":7},\"revision\":1,\"why\":"
                + JsonWriter.quoted(HOSTILE.get(8)) + "}";
        try (ConsolePages pages = ConsolePages.of(registry)) {
            Answer answer =
                    pages.answer("POST", "api/override", null, change.getBytes(StandardCharsets.UTF_8), "ann", true);
            assertEquals(400, answer.status());
            assertEquals(20, registry.limiter("checkout").snapshot().limit());
        }
    }

    @Test
    void aProblemShowsWhatWasGivenAndNotAllOfIt() throws Exception {
        try (ConsolePages pages = ConsolePages.of(registry)) {
            String field = JsonWriter.quoted(HOSTILE.get(0) + "x".repeat(60_000));
            Answer answer = pages.answer(
                    "POST", "api/undo", null, ("{" + field + ":1}").getBytes(StandardCharsets.UTF_8), "ann", true);
            String json = new String(answer.body(), StandardCharsets.UTF_8);
            assertEquals(400, answer.status());
            assertHarmless(json);
            assertTrue(json.length() < 2_000, json);
        }
    }

    @Test
    void aKeyIsShownAsAHashByDefault() {
        HeavyHitters hot = new HeavyHitters();
        registry.limiter("api", Keyed.of(new Semaphore(5), 100).watchedBy(hot));
        for (int i = 0; i < 1_000; i++) {
            registry.limiter("api").run(Request.forKey("192.0.2.7"), () -> {});
        }
        assertFalse(hot.heaviest(1).isEmpty());
        ShownKeys hashed = new ShownKeys(false);
        String shown = hashed.of(hot.heaviest(1).get(0));
        assertTrue(shown.matches("#[0-9a-f]{12}"), shown);
        assertEquals(shown, hashed.of(hot.heaviest(1).get(0)));
        assertFalse(shown.equals(new ShownKeys(false).of(hot.heaviest(1).get(0))));
    }
}
