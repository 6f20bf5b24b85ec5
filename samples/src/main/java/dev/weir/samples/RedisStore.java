package dev.weir.samples;

import dev.weir.config.source.ConfigSource;
import dev.weir.redis.RedisSource;
import dev.weir.testservers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;

/** A document at a key of a Redis that is started for it; {@code redis-server} must be installed. */
final class RedisStore extends DocumentStore {
    private static final String KEY = "weir:limits.yaml";

    private final RedisServer server = RedisServer.inMemory();
    private final RedisClient client = RedisClient.create(server.uri());
    private final StatefulRedisConnection<String, String> connection = client.connect();

    RedisStore() throws IOException {}

    @Override
    ConfigSource source() {
        return RedisSource.connect(RedisURI.create(server.uri()), KEY);
    }

    @Override
    void write(String document) throws Exception {
        super.write(document);
        connection.sync().set(KEY, document);
    }

    @Override
    String howToChange() {
        return "edit " + file() + ", then: redis-cli -p " + server.port() + " -x set " + KEY + " < " + file();
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
