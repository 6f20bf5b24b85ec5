package dev.weir.testservers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.testservers.ScriptedRedis.Answer;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ScriptedRedisTest {
    private final ScriptedRedis redis = ScriptedRedis.started();

    @AfterEach
    void close() {
        redis.close();
    }

    private static String resp(String... words) {
        StringBuilder text = new StringBuilder("*" + words.length);
        for (String word : words) {
            text.append("\r\n$").append(word.length()).append("\r\n").append(word);
        }
        return text.toString();
    }

    private String ask(String... words) throws IOException {
        try (RespSocket socket = new RespSocket(redis.port())) {
            return socket.ask(resp(words));
        }
    }

    @Test
    void itAnswersAsAServerThatIsWell() throws Exception {
        assertEquals("+PONG", ask("PING"));
        assertEquals("1700000000\n0\n", ask("TIME"));
        assertEquals(ScriptedRedis.info("7.0.15", "0".repeat(40), "master"), ask("INFO", "all"));
        assertEquals("+OK", ask("CLIENT", "SETINFO", "a", "b"));
        assertEquals(1, redis.count("PING"));
    }

    @Test
    void itAnswersAsItIsTold() throws Exception {
        redis.answer("EVALSHA", command -> Answer.error("LOADING " + command.get(1)));
        assertEquals("-LOADING a", ask("EVALSHA", "a"));
        redis.answer("EVALSHA", command -> Answer.integers(1, 2).slowly());
        assertEquals(":1\n:2\n", ask("EVALSHA", "a"));
        redis.answer("EVALSHA", command -> Answer.integers(1, 2).half());
        assertThrows(EOFException.class, () -> ask("EVALSHA", "a"));
        redis.answer("EVALSHA", command -> new Answer.Silence());
        assertThrows(SocketTimeoutException.class, () -> ask("EVALSHA", "a"));
        assertEquals("+PONG", ask("PING"));
    }
}
