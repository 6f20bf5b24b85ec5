package dev.weir.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import dev.weir.named.NamedLimiter;
import dev.weir.named.status.LimitChange;
import dev.weir.named.status.LimitOverride;
import dev.weir.named.status.LimitStatus;
import dev.weir.named.status.RevisionChangedException;
import dev.weir.spi.Registration;
import dev.weir.testkit.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Changes of limits by the console: for the revision that was seen, audited, and undone. */
class ConsoleChangesTest {
    private final LimiterRegistry registry = LimiterRegistry.builder().build();
    private final NamedLimiter checkout = registry.limiter("checkout", new Semaphore(20));
    private final ConsolePages pages = ConsolePages.of(registry);

    @AfterEach
    void close() {
        pages.close();
        registry.close();
    }

    private Answer post(String path, String body) {
        return pages.answer("POST", path, null, body.getBytes(StandardCharsets.UTF_8), "ann", true);
    }

    private static String text(Answer answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    private long revision() {
        return checkout.status().revision();
    }

    private Answer override(String patch, String seconds) {
        return post(
                "api/override",
                "{\"name\":\"checkout\",\"patch\":" + patch + ",\"seconds\":" + seconds
                        + ",\"why\":\"incident 7\",\"revision\":" + revision() + "}");
    }

    private Answer undo() {
        return post("api/undo", "{\"name\":\"checkout\",\"revision\":" + revision() + "}");
    }

    @Test
    void aChangeIsInForceForItsTimeAndSaysWhoAndWhy() {
        Answer answer = override("{\"concurrency\":5}", "900");
        assertEquals(200, answer.status(), text(answer));
        assertEquals(5, checkout.snapshot().limit());
        assertTrue(text(answer).contains("\"revision\":" + revision()), text(answer));
        LimitChange change = registry.names().explain("checkout").changes().get(1);
        assertEquals("ann", change.who());
        assertTrue(change.why().startsWith("incident 7"), change.why());
        var override = checkout.status().override();
        assertEquals(Duration.ofSeconds(900), Duration.between(override.since(), override.until()));
        assertEquals(200, undo().status());
        assertEquals(20, checkout.snapshot().limit());
    }

    @Test
    void aPatchMayBeTextAsInADocument() {
        assertEquals(
                200,
                override("\"concurrency: 6\\nqueue: {capacity: 3, max-wait: 1s}\"", "null")
                        .status());
        assertEquals(6, checkout.snapshot().limit());
        assertEquals(Duration.ofSeconds(1), checkout.maxWait());
    }

    @Test
    void settingsAreInTheOrderOfTheirNames() {
        Answer answer =
                override("{\"queue\":{\"max-wait\":\"1s\",\"capacity\":3},\"concurrency\":5,\"enforce\":1}", "60");
        assertTrue(
                text(answer)
                        .contains(
                                "\"settings\":{\"concurrency\":\"5\",\"enforce\":\"1\",\"queue.capacity\":\"3\",\"queue.max-wait\":\"1s\"}"),
                text(answer));
    }

    @Test
    void undoGoesBackStepByStep() {
        override("{\"concurrency\":5,\"queue\":{\"capacity\":3,\"max-wait\":\"1s\"}}", "900");
        override("{\"concurrency\":7}", "900");
        assertEquals(Duration.ZERO, checkout.maxWait());
        assertEquals(200, undo().status());
        assertEquals(5, checkout.snapshot().limit());
        assertEquals(Duration.ofSeconds(1), checkout.maxWait());
        assertEquals(200, undo().status());
        assertEquals(20, checkout.snapshot().limit());
        Answer nothing = undo();
        assertEquals(400, nothing.status(), text(nothing));
    }

    /** What a change replaces has ended, whether its author ends it by then or not. */
    @Test
    void undoDoesNotBringBackAnOverrideOfSomebodyElse() {
        Registration given = registry.override("checkout", "concurrency: 9", Duration.ofHours(1), "bob", "night");
        override("{\"concurrency\":5}", "900");
        given.close();
        assertEquals(5, checkout.snapshot().limit());
        assertEquals(200, undo().status());
        assertEquals(20, checkout.snapshot().limit());
        assertNull(checkout.status().override());
    }

    @Test
    void whatIsBackIsInTheNameOfWhoUndid() {
        override("{\"concurrency\":5}", "900");
        pages.answer(
                "POST",
                "api/override",
                null,
                ("{\"name\":\"checkout\",\"patch\":{\"concurrency\":7},\"why\":\"more\",\"revision\":" + revision()
                                + "}")
                        .getBytes(StandardCharsets.UTF_8),
                "bob",
                true);
        assertEquals(200, undo().status());
        LimitOverride back = checkout.status().override();
        assertEquals("ann", back.who());
        assertEquals("back to the change of ann: incident 7", back.why());
    }

    /** Two consoles of one registry change it at once: an override is undone by the console that made it, or by none. */
    @Test
    void onlyTheOwnChangeIsUndoneWhoeverElseChangesTheLimit() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        Thread other = new Thread(() -> {
            for (int i = 0; !done.get(); i++) {
                registry.override("checkout", "concurrency: " + (100 + i % 9), Duration.ofHours(1), "code", "loop");
            }
        });
        other.start();
        try {
            Changes changes = new Changes(registry, new VirtualTime(), () -> Instant.EPOCH);
            for (int i = 0; i < 2_000; i++) {
                try {
                    changes.override("checkout", fields("\"patch\":{\"concurrency\":5},\"why\":\"x\","), "ann");
                } catch (RevisionChangedException raced) {
                    continue;
                }
                LimitStatus status = checkout.status();
                assertTrue(
                        !changes.isUndoable(status) || status.override().who().equals("ann"),
                        () -> "undoable: " + status.override());
            }
        } finally {
            done.set(true);
            other.join();
        }
    }

    private PostedFields fields(String more) {
        return PostedFields.of(
                ("{\"name\":\"checkout\"," + more + "\"revision\":" + revision() + "}")
                        .getBytes(StandardCharsets.UTF_8),
                List.of("name", "patch", "seconds", "why", "revision"));
    }

    @Test
    void aChangeForAnotherRevisionChangesNothing() {
        long seen = revision();
        Registration given = registry.override("checkout", "concurrency: 9", Duration.ofHours(1), "bob", "night");
        for (String path : new String[] {"api/override", "api/undo"}) {
            Answer answer = post(
                    path,
                    path.endsWith("undo")
                            ? "{\"name\":\"checkout\",\"revision\":" + seen + "}"
                            : "{\"name\":\"checkout\",\"patch\":{\"concurrency\":5},\"why\":\"x\",\"revision\":" + seen
                                    + "}");
            assertEquals(409, answer.status(), text(answer));
            assertTrue(text(answer).contains("\"revision\":" + revision()), text(answer));
        }
        assertEquals(9, checkout.snapshot().limit());
        given.close();
    }

    @Test
    void aWrongChangeIsRefusedWithItsRule() {
        assertEquals(
                "{\"problems\":[\"why must be a text of 1 to 1000 characters\"]}",
                text(post("api/override", "{\"name\":\"checkout\",\"patch\":{\"concurrency\":5},\"revision\":1}")));
        assertTrue(text(override("{\"concurrency\":0}", "900")).contains("must be \\u003E= 1"));
        assertTrue(text(override("{\"concurrency\":5}", "0")).contains("seconds must be a whole number"));
        assertTrue(text(override("{\"concurrenzy\":5}", "1")).contains("did you mean concurrency?"));
        assertTrue(text(post("api/override", "{\"nam\":1}")).contains("did you mean name?"));
        assertEquals(400, post("api/override", "[]").status());
        assertEquals(
                400, post("api/override", "{\"name\":\"a\",\"name\":\"b\"}").status());
        assertEquals(400, post("api/override", "{\"name\":\"checkout\"} {}").status());
        assertEquals(
                404, post("api/undo", "{\"name\":\"chekout\",\"revision\":1}").status());
        assertEquals(20, checkout.snapshot().limit());
    }

    @Test
    void theEleventhChangeInAMinuteIsRefused() {
        for (int i = 0; i < 10; i++) {
            assertEquals(
                    200, override("{\"concurrency\":" + (i + 1) + "}", "900").status());
        }
        Answer answer = override("{\"concurrency\":11}", "900");
        assertEquals(429, answer.status());
        assertTrue(Integer.parseInt(answer.headers().get("Retry-After")) <= 60, answer.headers()::toString);
        assertEquals(10, checkout.snapshot().limit());
        assertEquals(200, undo().status(), "an undo is not one of them");
        assertEquals(9, checkout.snapshot().limit());
    }

    @Test
    void whoMayNotWriteChangesNothing() {
        for (String path : new String[] {"api/override", "api/undo"}) {
            assertEquals(
                    403,
                    pages.answer("POST", path, null, new byte[0], "bob", false).status());
        }
    }
}
