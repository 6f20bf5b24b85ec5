package dev.weir.samples;

import dev.weir.config.source.ConfigSource;
import dev.weir.testservers.ZooKeeperServer;
import dev.weir.zookeeper.ZooKeeperSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;

/** A document in a node of a ZooKeeper that runs in this process. */
final class ZooKeeperStore extends DocumentStore {
    private static final String PATH = "/weir/limits.yaml";

    private final ZooKeeperServer server = ZooKeeperServer.started();
    private final CuratorFramework client =
            CuratorFrameworkFactory.newClient(server.connection(), new RetryOneTime(1_000));

    ZooKeeperStore() throws IOException {
        client.start();
    }

    @Override
    ConfigSource source() {
        return ZooKeeperSource.connect(server.connection(), PATH);
    }

    @Override
    void write(String document) throws Exception {
        super.write(document);
        client.create().orSetData().creatingParentsIfNeeded().forPath(PATH, document.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    String howToChange() {
        return "edit " + file() + ", then: zkCli.sh -server " + server.connection() + " set " + PATH + " \"$(cat "
                + file() + ")\"";
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
