package dev.weir.zookeeper;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;

/** A watch of one node, or of its children, which is set again after each loss of the connection. Thread-safe. */
final class PersistentWatch implements Watcher {
    private final String path;
    private final Runnable changed;
    /* A stale value sets the watch twice, which is harmless. */
    private volatile long armedAt = -1;

    PersistentWatch(String path, Runnable changed) {
        this.path = path;
        this.changed = changed;
    }

    /**
     * Sets it, if it was not set at this connection, and then tells of a change: there may have been one before.
     *
     * @param connection a number that changes whenever the connection is lost or is back
     */
    void arm(CuratorFramework client, ZooKeeperRequests requests, long connection) throws Exception {
        if (armedAt == connection) {
            return;
        }
        requests.made(callback -> client.watchers()
                .add()
                .withMode(AddWatchMode.PERSISTENT)
                .inBackground(callback)
                .usingWatcher(this)
                .forPath(path));
        armedAt = connection;
        changed.run();
    }

    @Override
    public void process(WatchedEvent event) {
        if (event.getPath() != null) {
            changed.run();
        }
    }
}
