package dev.weir.redis;

import static dev.weir.redis.TestScripts.COUNT;
import static dev.weir.redis.TestScripts.failure;
import static dev.weir.redis.TestScripts.run;
import static dev.weir.redis.TestScripts.send;
import static dev.weir.redis.TestScripts.since;
import static dev.weir.redis.TestScripts.soon;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.testservers.ScriptedRedis;
import dev.weir.testservers.ScriptedRedis.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RedisErrorsTest {
    static final List<String> INDETERMINATE = List.of(
            "MOVED 1 127.0.0.1:1",
            "ASK 1 127.0.0.1:1",
            "TRYAGAIN Multiple keys request during rehashing of slot",
            "CLUSTERDOWN The cluster is down",
            "CROSSSLOT Keys in request don't hash to the same slot",
            "READONLY You can't write against a read only replica.",
            "LOADING Redis is loading the dataset in memory",
            "BUSY Redis is busy running a script.",
            "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
            "OOM command not allowed when used memory > 'maxmemory'.",
            "MISCONF Redis is configured to save RDB snapshots",
            "WRONGTYPE Operation against a key holding the wrong kind of value",
            "NOAUTH Authentication required.",
            "NOPERM this user has no permissions to run the 'evalsha' command",
            "EXECABORT Transaction discarded because of previous errors.",
            "ERR internal");

    private final ScriptedRedis server = ScriptedRedis.started();
    private final Redis redis = Redis.connect(server.uri());

    @AfterEach
    void close() {
        redis.close();
        server.close();
    }

    private void answer(Answer answer) {
        server.answer("EVALSHA", command -> answer);
    }

    /** The first commands of a client may have ended its connection. */
    private void connected() {
        answer(Answer.integers(1, 0));
        soon().until(() -> since(redis, "a") == 0);
    }

    @Test
    void D4_D5_noErrorIsRetried() throws Exception {
        int sent = 0;
        for (String error : INDETERMINATE) {
            answer(Answer.integers(7, 0));
            soon().until(() -> since(redis, "a") == 0);
            answer(Answer.error(error));
            sent = server.count("EVALSHA");
            assertEquals(error, failure(send(redis, COUNT, "a")));
            assertEquals(sent + 1, server.count("EVALSHA"), error);
        }
        assertEquals(0, server.count("EVAL"));
    }

    @Test
    void D4_aScriptThatIsMissingIsSentWholeOnce() throws Exception {
        connected();
        int whole = server.count("EVAL");
        int sent = server.count("EVALSHA");
        answer(Answer.error("NOSCRIPT No matching script. Please use EVAL."));
        server.answer("EVAL", command -> Answer.error("NOSCRIPT No matching script. Please use EVAL."));
        assertTrue(failure(send(redis, COUNT, "a")).startsWith("NOSCRIPT"));
        assertEquals(sent + 1, server.count("EVALSHA"));
        assertEquals(whole + 1, server.count("EVAL"));
    }

    @Test
    void D5_aReplyByteByByteIsRead() throws Exception {
        connected();
        answer(Answer.integers(1, 123_456, -1).slowly());
        assertEquals(List.of(1L, 123_456L, -1L), run(redis, COUNT, "a"));
    }

    @Test
    void D5_aConnectionThatEndsInAReplyFailsAndIsMadeAgain() throws Exception {
        for (Answer end : List.of(
                Answer.integers(1, 2, 3).half(),
                new Answer.Close(""),
                Answer.integers(1, 2, 3).slowly())) {
            answer(end);
            CompletableFuture<List<Long>> reply = send(redis, COUNT, "a");
            soon().until(reply::isDone);
            answer(Answer.integers(1, 0));
            soon().until(() -> since(redis, "a") == 0);
        }
    }

    @Test
    void D5_whatIsNoReplyFails() throws Exception {
        for (String garbage : List.of("+OK\r\n", "$-1\r\n", "*2\r\n+a\r\n:1\r\n", "HTTP/1.1 400\r\n\r\n")) {
            answer(Answer.raw(garbage));
            CompletableFuture<List<Long>> reply = send(redis, COUNT, "a");
            soon().untilAsserted(() -> assertTrue(reply.isCompletedExceptionally(), garbage));
            answer(Answer.integers(1, 0));
            soon().until(() -> since(redis, "a") == 0);
        }
    }

    @Test
    void D6_aServerThatIsSilentGetsAnotherConnectionOncePingsStayUnanswered() throws Exception {
        server.answer("EVAL", command -> new Answer.Silence());
        answer(Answer.integers(1, 0));
        CompletableFuture<?> first = redis.servers().ping().toCompletableFuture();
        CompletableFuture<List<Long>> stuck = send(redis, COUNT, "a");
        soon().until(() -> {
            CompletableFuture<?> unused = redis.servers().ping().toCompletableFuture();
            return first.isCompletedExceptionally() && stuck.isCompletedExceptionally();
        });
        server.answer("EVAL", command -> Answer.raw("+OK\r\n"));
        server.disconnectAll();
        soon().until(() -> since(redis, "a") == 0);
    }

    @Test
    void D12_settingsWithWhichLimitsAreLostAreLoggedOnce() {
        List<String> logged = new ArrayList<>();
        Logger logger = Logger.getLogger(Redis.class.getName());
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord event) {
                logged.add(event.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        try {
            RedisWarnings warnings = new RedisWarnings(false);
            warnings.check(ServerInfo.of("redis_version:7.0.15\r\nmaxmemory_policy:noeviction\r\nrole:master\r\n"));
            warnings.check(ServerInfo.UNKNOWN);
            assertEquals(List.of(), logged);
            ServerInfo wrong = ServerInfo.of(
                    "redis_version:4.0.1\r\nmaxmemory_policy:allkeys-lru\r\nredis_mode:cluster\r\nrole:slave\r\n");
            warnings.check(wrong);
            warnings.check(wrong);
            assertEquals(4, logged.size());
            assertTrue(logged.stream().collect(Collectors.joining()).contains("allkeys-lru"));
            assertFalse(ServerInfo.of("redis_version:10.1\r\n").isTooOld());
        } finally {
            logger.removeHandler(handler);
        }
    }
}
