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
final class ZooKeeperStore implements DocumentStore {
    private static final String PATH = "/weir/limits.yaml";

    private final FileStore draft = new FileStore();
    private final ZooKeeperServer server = ZooKeeperServer.started();
    private final CuratorFramework client =
            CuratorFrameworkFactory.newClient(server.connection(), new RetryOneTime(1_000));

    ZooKeeperStore() throws IOException {
        client.start();
    }

    @Override
    public ConfigSource source() {
        return ZooKeeperSource.connect(server.connection(), PATH);
    }

    @Override
    public void write(String document) throws Exception {
        draft.write(document);
        client.create().orSetData().creatingParentsIfNeeded().forPath(PATH, document.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String howToChange() {
        return "edit " + draft.file() + ", then: zkCli.sh -server " + server.connection() + " set " + PATH + " \"$(cat "
                + draft.file() + ")\"";
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
