import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import dev.weir.named.NamedLimiter;
import dev.weir.named.status.ConfigEvent;
import dev.weir.redis.RedisSource;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Orders under a limit that stands in a key of Redis, and is another one when the key is. */
public final class Orders {
    private static final String KEY = "orders.yaml";

    private Orders() {}

    public static void main(String[] args) throws Exception {
        RedisURI server = RedisURI.create(args.length == 0 ? "redis://127.0.0.1:6379" : args[0]);
        RedisClient client = RedisClient.create(server);
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            connection.sync().set(KEY, "limits: { orders: { concurrency: 1 } }");
            BlockingQueue<ConfigEvent> events = new LinkedBlockingQueue<>();
            try (LimiterRegistry registry = LimiterRegistry.builder()
                    .source(RedisSource.connect(server, KEY))
                    .onEvent(events::add)
                    .build()) {
                NamedLimiter orders = registry.limiter("orders", new Semaphore(1));
                System.out.println(events.take());
                order(orders, () -> order(orders, () -> {}));
                connection.sync().set(KEY, "limits: { orders: { concurrency: 2 } }");
                System.out.println(events.take());
                order(orders, () -> order(orders, () -> {}));
            }
        } finally {
            client.shutdown();
        }
    }

    private static void order(NamedLimiter orders, Runnable meanwhile) {
        orders.run(
                () -> {
                    System.out.println("taken");
                    meanwhile.run();
                },
                refused -> System.out.println("refused: " + refused.reason()));
    }
}
