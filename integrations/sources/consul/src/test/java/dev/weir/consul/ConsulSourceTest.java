package dev.weir.consul;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.source.Reading;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConsulSourceTest {
    private KeyServer server;
    private ConsulSource source;

    @BeforeEach
    void start() throws IOException {
        server = new KeyServer();
        source = ConsulSource.builder(agent(), "shop/limits one.yaml")
                .token(KeyServer.TOKEN)
                .waiting(Duration.ofSeconds(1))
                .build();
    }

    @AfterEach
    void stop() {
        source.close();
        server.close();
    }

    private URI agent() {
        return URI.create("http://127.0.0.1:" + server.port() + "/");
    }

    private static String text(Reading reading) {
        return new String(reading.content(), UTF_8);
    }

    private void assertNextAsks(String query) throws Exception {
        source.read();
        String last = server.requests.get(server.requests.size() - 1);
        assertEquals("/v1/kv/shop/limits%20one.yaml" + query, last);
    }

    @Test
    void aReadingWaitsForTheIndexAfterTheLast() throws Exception {
        server.set("a".getBytes(UTF_8));
        Reading first = source.read();
        assertEquals("a", text(first));
        assertEquals(11, first.revision());
        assertEquals("10", first.epoch(), "the index that created the key");
        assertTrue(first.isWhole());
        assertEquals(Duration.ZERO, source.readEvery());
        assertNextAsks("?index=11&wait=1s");
        server.set("b".getBytes(UTF_8));
        assertEquals("b", text(source.read()));
        assertNextAsks("?index=12&wait=1s");
    }

    @Test
    void anIndexThatGoesBackStartsFromTheBeginning() throws Exception {
        server.set("a".getBytes(UTF_8));
        source.read();
        server.restore("old".getBytes(UTF_8), 5);
        assertEquals("old", text(source.read()));
        assertEquals(Duration.ofSeconds(10), source.readEvery());
        assertNextAsks("");
        assertNextAsks("?index=5&wait=1s");
    }

    @Test
    void anIndexThatIsNotPositiveIsNotWaitedFor() throws Exception {
        server.set("a".getBytes(UTF_8));
        for (String told : List.of("0", "-7", "", "x", "99999999999999999999")) {
            server.toldIndex = told;
            source.read();
            assertNextAsks("");
            assertEquals(Duration.ofSeconds(10), source.readEvery());
        }
    }

    @Test
    void aKeyThatIsMissingIsAbsentAndOneWithoutAValueIsEmpty() throws Exception {
        assertTrue(source.read().isAbsent());
        assertNextAsks("?index=10&wait=1s");
        server.set(new byte[0]);
        Reading empty = source.read();
        assertFalse(empty.isAbsent());
        assertEquals("", text(empty));
    }

    @Test
    void somethingElseThanAKeyIsRefusedWithoutShowingIt() {
        server.set("a".getBytes(UTF_8));
        for (String answer : List.of(
                "",
                "geheim",
                "[]",
                "[{}]",
                "{\"Value\": \"geheim\"}",
                "[{\"Value\": \"%geheim\", \"ModifyIndex\": 1}]",
                "[{\"Value\": {\"geheim\": 1}, \"ModifyIndex\": 1}]",
                "[{\"Value\": \"YQ==\", \"ModifyIndex\": -1}]",
                "[{\"Value\": \"YQ==\", \"ModifyIndex\": \"geheim\"}]",
                "[{\"Value\": \"YQ==\", \"ModifyIndex\": 1}",
                "[{\"Value\": \"YQ==\", \"ModifyIndex\": 1}, {}]")) {
            server.answer = answer;
            IOException refused = assertThrows(IOException.class, source::read, answer);
            assertEquals("answers with something else than one key of Consul", refused.getMessage());
        }
    }

    @Test
    void aWrongTokenIsRefusedAndNeverShown() {
        try (ConsulSource wrong =
                ConsulSource.builder(agent(), "k").token("falsch").build()) {
            IOException refused = assertThrows(IOException.class, wrong::read);
            assertEquals("answers with status 403: " + agent() + "v1/kv/k", refused.getMessage());
            assertEquals(agent() + "v1/kv/k", wrong.toString());
        }
        ConsulSource.Builder builder = ConsulSource.builder(agent(), "k");
        IllegalArgumentException bad =
                assertThrows(IllegalArgumentException.class, () -> builder.token("geheim\r\nHost: x"));
        assertEquals("token has a character that is not allowed", bad.getMessage());
    }

    @Test
    void argumentsAreChecked() {
        for (String key : List.of("", "/a", "a//b", "a/../b", ".", "a/", "a\0b")) {
            assertThrows(IllegalArgumentException.class, () -> ConsulSource.of(agent(), key), key);
        }
        for (String other : List.of("file:/x", "http://u:geheim@h", "http://h?token=geheim", "http:/x")) {
            IllegalArgumentException bad =
                    assertThrows(IllegalArgumentException.class, () -> ConsulSource.of(URI.create(other), "k"), other);
            assertFalse(String.valueOf(bad.getMessage()).contains("geheim"));
        }
        ConsulSource.Builder builder = ConsulSource.builder(agent(), "k");
        assertThrows(IllegalArgumentException.class, () -> builder.waiting(Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> builder.waiting(Duration.ofMinutes(1)));
        assertEquals(
                agent() + "v1/kv/a%3Fb%23c", ConsulSource.of(agent(), "a?b#c").name());
    }
}
