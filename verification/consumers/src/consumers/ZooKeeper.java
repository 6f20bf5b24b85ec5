package consumers;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.zookeeper.ZooKeeperSource;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;

/** A limit that follows a node of ZooKeeper. */
public final class ZooKeeper {
    private ZooKeeper() {}

    public static void main(String[] args) throws Exception {
        String servers = System.getProperty("zookeeper");
        String path = "/" + args[0];
        try (CuratorFramework client = CuratorFrameworkFactory.newClient(servers, new RetryOneTime(1000))) {
            client.start();
            Follows.document(
                    document -> client.create().orSetData().forPath(path, document.getBytes(UTF_8)),
                    ZooKeeperSource.connect(servers, path));
        }
    }
}
