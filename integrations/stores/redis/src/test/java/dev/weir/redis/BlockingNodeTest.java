package dev.weir.redis;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Needs(Server.REDIS)
class BlockingNodeTest {
    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final RedisClient client = RedisClient.create(REDIS.server().uri());
    private final List<RedisConnection<String, String>> made = new ArrayList<>();
    private final AtomicInteger lost = new AtomicInteger();
    private final BlockingNode<String, String> node = new BlockingNode<>("node", this::connect, lost::incrementAndGet);
    private Runnable connecting = () -> {};

    private RedisConnection<String, String> connect() {
        RedisConnection<String, String> next = new RedisConnection<>(client.connect());
        made.add(next);
        next.begin(connecting);
        return next;
    }

    @AfterEach
    void close() {
        node.close(redis -> null);
        client.shutdown(0, 2, TimeUnit.SECONDS);
    }

    private String ping() {
        return node.request(current -> current.sync().ping());
    }

    private void isMade(int times) {
        assertEquals("PONG", ping());
        assertEquals(times, made.size());
    }

    @Test
    void theFirstRequestConnectsAndTheNextOnesUseThat() {
        assertEquals(List.of(), made);
        isMade(1);
        isMade(1);
        assertSame(made.get(0), node.connection());
        assertEquals(0, lost.get());
    }

    @ParameterizedTest
    @CsvSource({"ERR any, 1", "WRONGTYPE any, 1", "READONLY any, 2"})
    void onlyAnAnswerOfOneThatMayNotBeThePrimaryEndsAConnection(String error, int connections) {
        String script = "return redis.error_reply('" + error + "')";
        assertThrows(
                RedisCommandExecutionException.class,
                () -> node.request(current -> current.sync().eval(script, ScriptOutputType.STATUS)));
        assertEquals(connections - 1, lost.get());
        isMade(connections);
    }

    @Test
    void aFailureThatIsNoAnswerEndsAConnection() {
        IllegalStateException failure = new IllegalStateException("no answer");
        assertSame(
                failure,
                assertThrows(
                        IllegalStateException.class,
                        () -> node.request(current -> {
                            throw failure;
                        })));
        assertEquals(1, lost.get());
        isMade(2);
    }

    @Test
    void theNextRequestAfterALossConnects() {
        isMade(1);
        REDIS.commands().clientKill(KillArgs.Builder.typeNormal().skipme());
        await().until(() -> lost.get() == 1);
        await().until(() -> made.get(0).ended().isDone());
        isMade(2);
    }

    @Test
    void aCallerLearnsWhyItWasNotConnectedAndTheNextOneTriesAgain() {
        IllegalStateException failure = new IllegalStateException("refused");
        connecting = () -> {
            throw failure;
        };
        assertSame(failure, assertThrows(IllegalStateException.class, this::ping));
        assertFalse(made.get(0).isOpen());
        connecting = () -> {};
        isMade(2);
        assertEquals(0, lost.get(), "the first was never used");
    }

    @Test
    void aConnectionThatWasMadeWhileItWasClosedIsClosed() {
        connecting = () -> node.close(redis -> null);
        assertEquals(
                "node is closed",
                assertThrows(IllegalStateException.class, this::ping).getMessage());
        assertFalse(made.get(0).isOpen());
        assertThrows(IllegalStateException.class, node::checkOpen);
        assertThrows(IllegalStateException.class, this::ping);
        assertEquals(1, made.size());
    }

    @Test
    void theLastCommandIsSentOnce() {
        isMade(1);
        assertTrue(node.close(redis -> redis.incr("last")));
        assertFalse(node.close(redis -> redis.incr("last")));
        assertEquals("1", REDIS.commands().get("last"));
        assertTrue(made.get(0).ended().isDone());
    }

    @Test
    void connectionsBesideEachOtherAreLostTogether() {
        for (boolean first : new boolean[] {true, false}) {
            StatefulRedisConnection<String, String> one = client.connect();
            StatefulRedisConnection<String, String> other = client.connect();
            RedisConnection<String, String> both = new RedisConnection<>(one, other);
            assertTrue(both.isOpen());
            long id = (first ? one : other).sync().clientId();
            REDIS.commands().clientKill(KillArgs.Builder.id(id));
            await().until(() -> both.ended().isDone());
            assertFalse(both.isOpen() || one.isOpen() || other.isOpen());
        }
    }

    @Test
    void oneThatWasLostBeforeIsClosed() {
        StatefulRedisConnection<String, String> closed = client.connect();
        closed.closeAsync().join();
        assertFalse(new RedisConnection<>(client.connect(), closed).isOpen());
    }
}
