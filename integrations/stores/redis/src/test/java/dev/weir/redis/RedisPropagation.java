package dev.weir.redis;

import dev.weir.config.source.ConfigSource;
import dev.weir.testservers.Propagation;
import dev.weir.testservers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

/** One row of {@code ./weir bench config}; the plain watch is a keyspace event. */
final class RedisPropagation {
    private static final String KEY = "limits.yaml";

    private RedisPropagation() {}

    public static void main(String[] args) throws Exception {
        try (RedisServer server = RedisServer.inMemory("--notify-keyspace-events", "K$");
                RedisClient client = RedisClient.create(server.uri())) {
            var connection = client.connect();
            Propagation.measure("redis", new Propagation.Server() {
                @Override
                public void write(String document) {
                    connection.sync().set(KEY, document);
                }

                @Override
                public void watch(Runnable changed) {
                    StatefulRedisPubSubConnection<String, String> events = client.connectPubSub();
                    events.addListener(new RedisPubSubAdapter<>() {
                        @Override
                        public void message(String channel, String message) {
                            changed.run();
                        }
                    });
                    events.sync().subscribe("__keyspace@0__:" + KEY);
                }

                @Override
                public ConfigSource source() {
                    return RedisSource.connect(RedisURI.create(server.uri()), KEY);
                }
            });
        }
        System.exit(0);
    }
}
