package dev.weir.redis;

import dev.weir.testservers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A server for the tests of one class, empty before each of them, and a connection. */
final class RealRedis implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback {
    private final String[] settings;
    private RedisServer server;
    private RedisClient client;
    private StatefulRedisConnection<String, String> connection;

    /** With settings as on the command line. */
    RealRedis(String... settings) {
        this.settings = settings.clone();
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        server = RedisServer.inMemory(settings);
        client = RedisClient.create(server.uri());
        connection = client.connect();
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        commands().flushall();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        server.close();
    }

    RedisServer server() {
        return server;
    }

    StatefulRedisConnection<String, String> connection() {
        return connection;
    }

    RedisCommands<String, String> commands() {
        return connection.sync();
    }

    static <T> T join(RedisFuture<T> answer) {
        try {
            return answer.get(20, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause().getMessage(), e);
        } catch (InterruptedException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Lets a key's time to live pass, without waiting: it expires or has less left. */
    void pass(String key, long millis) {
        long left = commands().pttl(key);
        if (left > millis) {
            commands().pexpire(key, left - millis);
        } else if (left >= 0) {
            commands().del(key);
        }
    }
}
