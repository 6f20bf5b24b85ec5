package dev.weir.benchmarks.store;

import dev.weir.testservers.PostgresServer;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The servers of a comparison. */
final class Stores implements AutoCloseable {
    private static final long NETWORK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final RedisServer redis = RedisServer.inMemory();
    private final DelayedNetwork network = DelayedNetwork.to(redis.port(), NETWORK_NANOS);
    private final RedisFigures figures = new RedisFigures(redis.uri());
    private @Nullable PostgresServer postgres;

    /** The address for a contender. A PostgreSQL is started if it is the first that needs it. */
    String uri(Place place) {
        return switch (place) {
            case REDIS -> redis.uri();
            case FAR -> "redis://127.0.0.1:" + network.port();
            case POSTGRES -> postgres().url();
            case H2 -> Database.H2.url();
        };
    }

    /** True if this machine has the server. */
    boolean has(Place place) {
        return place != Place.POSTGRES || Server.POSTGRES.found().isPresent();
    }

    RedisFigures redis() {
        return figures;
    }

    StoreMemory memory(Place place) {
        return place.isRedis() ? figures : new Database(uri(place));
    }

    private PostgresServer postgres() {
        if (postgres == null) {
            postgres = PostgresServer.started();
        }
        return postgres;
    }

    @Override
    public void close() {
        figures.close();
        network.close();
        redis.close();
        if (postgres != null) {
            postgres.close();
        }
    }
}
