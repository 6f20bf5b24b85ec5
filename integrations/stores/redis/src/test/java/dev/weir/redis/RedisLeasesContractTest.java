package dev.weir.redis;

import dev.weir.store.contract.LeaseStoreContract;
import dev.weir.store.lease.LeaseStore;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInstance;

@Needs(Server.REDIS)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RedisLeasesContractTest extends LeaseStoreContract {
    private final RedisServer server = RedisServer.inMemory();
    private final List<Redis> opened = new ArrayList<>();

    @AfterEach
    void closeAll() {
        opened.forEach(Redis::close);
        opened.clear();
    }

    @AfterAll
    void stop() {
        server.close();
    }

    @Override
    protected LeaseStore store() {
        Redis redis = Redis.connect(server.uri());
        opened.add(redis);
        return redis.leases();
    }
}
