package dev.weir.redis;

import static dev.weir.redis.TestScripts.soon;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.spi.Registration;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What happens while the connection for messages is taken into use. The first connection is one that the test stops at its methods. */
@Needs(Server.REDIS)
class MessagesTest {
    private static final Duration LONGEST = Duration.ofSeconds(30);

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final RedisURI server = RedisURI.create(REDIS.server().uri());
    private final RedisClient client = RedisClient.create(server);
    private final AtomicBoolean isFirst = new AtomicBoolean(true);
    private final Messages messages = new Messages(this::connect);

    private Runnable beforeFirst = () -> {};
    private BiConsumer<Method, StatefulRedisPubSubConnection<String, String>> before = (method, connection) -> {};
    private BiConsumer<Method, StatefulRedisPubSubConnection<String, String>> after = (method, connection) -> {};

    @AfterEach
    void close() {
        messages.close().join();
        client.shutdown();
    }

    private CompletionStage<StatefulRedisPubSubConnection<String, String>> connect() {
        if (isFirst.compareAndSet(true, false)) {
            beforeFirst.run();
            return CompletableFuture.completedFuture(watched(client.connectPubSub()));
        }
        return client.connectPubSubAsync(StringCodec.UTF8, server);
    }

    @SuppressWarnings("unchecked")
    private StatefulRedisPubSubConnection<String, String> watched(StatefulRedisPubSubConnection<String, String> real) {
        return (StatefulRedisPubSubConnection<String, String>) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {StatefulRedisPubSubConnection.class},
                (proxy, method, arguments) -> {
                    before.accept(method, real);
                    try {
                        Object result = method.invoke(real, arguments);
                        after.accept(method, real);
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static long subscribers(String channel) {
        return REDIS.commands().pubsubNumsub(channel).get(channel);
    }

    private void assertIsTold(String channel) {
        AtomicInteger told = new AtomicInteger();
        Registration listening = messages.listen(channel, told::incrementAndGet);
        soon().atMost(LONGEST).until(() -> told.get() == 1);
        assertEquals(1, REDIS.commands().publish(channel, ""));
        soon().atMost(LONGEST).until(() -> told.get() == 2);
        listening.close();
    }

    @Test
    void listensUntilTheRegistrationIsClosed() {
        assertIsTold("a");
        assertIsTold("b");
        soon().atMost(LONGEST).until(() -> subscribers("a") + subscribers("b") == 0);
    }

    @Test
    void aConnectionThatIsLostWhileItIsTakenIntoUseReplacesNoNewerOne() {
        AtomicInteger lost = new AtomicInteger();
        after = (method, connection) -> {
            boolean isWatchedNow =
                    Arrays.asList(method.getParameterTypes()).contains(RedisConnectionStateListener.class);
            if (isWatchedNow && lost.getAndIncrement() == 0) {
                REDIS.commands()
                        .clientKill(KillArgs.Builder.id(connection.sync().clientId()));
                soon().atMost(LONGEST).until(() -> subscribers("first") == 1);
            }
        };
        Registration first = messages.listen("first", () -> {});
        assertEquals(1, lost.get());
        assertIsTold("second");
        assertEquals(1, subscribers("first"));
        first.close();
    }

    @Test
    void whoLeavesWhileAConnectionIsTakenIntoUseIsNotListenedForAnyMore() {
        AtomicReference<Registration> leaves = new AtomicReference<>(() -> {});
        beforeFirst = () -> leaves.set(messages.listen("leaves", () -> {}));
        before = (method, connection) -> {
            if (method.getName().equals("async")) {
                leaves.getAndSet(() -> {}).close();
            }
        };
        Registration unused = messages.listen("leaves", () -> {});
        assertIsTold("stays");
        assertEquals(0, subscribers("leaves"));
    }
}
