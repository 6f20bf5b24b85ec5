package dev.weir.redis;

import dev.weir.store.contract.LeaseStoreContract;
import dev.weir.store.lease.LeaseStore;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

@Needs(Server.REDIS)
class RedisLeasesTest extends LeaseStoreContract {
    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private static Redis redis;

    @BeforeAll
    static void connect() {
        redis = Redis.connect(REDIS.server().uri());
    }

    @AfterAll
    static void close() {
        redis.close();
    }

    @Override
    protected LeaseStore store() {
        return redis.leases();
    }
}
