package dev.weir.zookeeper;

import dev.weir.config.source.ConfigSource;
import dev.weir.testservers.Propagation;
import dev.weir.testservers.ZooKeeperServer;
import java.nio.charset.StandardCharsets;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.AddWatchMode;

/** One row of {@code ./weir bench config}. */
final class ZooKeeperPropagation {
    private static final String PATH = "/limits.yaml";

    private ZooKeeperPropagation() {}

    public static void main(String[] args) throws Exception {
        try (ZooKeeperServer server = ZooKeeperServer.started();
                CuratorFramework client =
                        CuratorFrameworkFactory.newClient(server.connection(), new RetryOneTime(100))) {
            client.start();
            client.create().forPath(PATH);
            Propagation.measure("zookeeper", new Propagation.Server() {
                @Override
                public void write(String document) throws Exception {
                    client.setData().forPath(PATH, document.getBytes(StandardCharsets.UTF_8));
                }

                @Override
                public void watch(Runnable changed) throws Exception {
                    client.watchers()
                            .add()
                            .withMode(AddWatchMode.PERSISTENT)
                            .usingWatcher((org.apache.zookeeper.Watcher) event -> changed.run())
                            .forPath(PATH);
                }

                @Override
                public ConfigSource source() {
                    return ZooKeeperSource.connect(server.connection(), PATH);
                }
            });
        }
        System.exit(0);
    }
}
