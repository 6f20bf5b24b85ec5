package dev.weir.console;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.TokenBucket;
import dev.weir.config.LimiterRegistry;
import dev.weir.named.NamedLimiter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Previews by the console: of what was recorded since the page is open. */
class ConsolePreviewTest {
    private final LimiterRegistry registry = LimiterRegistry.builder().build();
    private final NamedLimiter mail = registry.limiter("mail", TokenBucket.of(1_000_000, Duration.ofSeconds(1)));
    private final ConsolePages pages = ConsolePages.of(registry);

    @AfterEach
    void close() {
        pages.close();
        registry.close();
    }

    private Answer preview(String name, String patch) {
        return preview(name, patch, true);
    }

    private Answer preview(String name, String patch, boolean mayWrite) {
        String body = "{\"name\":\"" + name + "\",\"patch\":" + patch + "}";
        return pages.answer("POST", "api/preview", null, body.getBytes(StandardCharsets.UTF_8), "bob", mayWrite);
    }

    /** A replay takes memory and time by what the patch says. */
    @Test
    void whoMayOnlyReadHasNoPreview() {
        assertEquals(403, preview("mail", "{\"rate\":\"1/h\"}", false).status());
    }

    private static String text(Answer answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    @Test
    void aPreviewTellsWhatAnotherLimitWouldRefuse() {
        long revision = mail.status().revision();
        await().untilAsserted(() -> {
            for (int i = 0; i < 50; i++) {
                mail.tryAcquire();
            }
            Answer answer = preview("mail", "{\"rate\":\"1/h\"}");
            assertEquals(200, answer.status(), text(answer));
            assertTrue(text(answer).contains("\"text\":\"at rate: 1/h you would have refused "), text(answer));
            assertTrue(
                    text(answer).matches(".*\"requests\":[1-9].*\"refusedInFact\":0,.*\"wouldRefuse\":[1-9].*"),
                    text(answer));
        });
        assertEquals(revision, mail.status().revision());
    }

    @Test
    void withoutARecordingTheSettingsAreCheckedAllTheSame() {
        Answer none = preview("mail", "{\"rate\":\"1/h\"}");
        assertEquals(200, none.status());
        assertTrue(text(none).matches(".*\"requests\":0,\"unsure\":\\[\"nothing is recorded.*"), text(none));
        Answer wrong = preview("mail", "{\"rate\":\"1\"}");
        assertEquals(400, wrong.status());
        assertFalse(text(wrong).contains("unsure"), text(wrong));
        assertEquals(404, preview("mial", "{\"rate\":\"1/h\"}").status());
    }
}
