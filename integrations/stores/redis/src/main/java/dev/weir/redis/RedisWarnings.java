package dev.weir.redis;

import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Warnings of settings of servers with which limits cannot count, each logged once. Thread-safe. */
final class RedisWarnings {
    private static final String LOGGER = "dev.weir.redis.Redis";

    private final Set<String> logged = ConcurrentHashMap.newKeySet();
    private final boolean clustered;

    /** {@code clustered}: keys are sent to the node that has them. */
    RedisWarnings(boolean clustered) {
        this.clustered = clustered;
    }

    void check(ServerInfo info) {
        if (info.evictsLimits()) {
            warn(
                    "maxmemory-policy is " + info.evictionPolicy()
                            + ": a server without memory forgets limits that are used up; with noeviction it refuses to count instead");
        }
        if (info.isTooOld()) {
            warn("the server has version " + info.version() + ": limits need Redis 5 or newer");
        }
        if (info.isInCluster() && !clustered) {
            warn(
                    "the server is a node of a cluster, and the keys of other nodes cannot be reached: use a RedisClusterClient");
        }
        if (info.isReplica()) {
            warn("the server is a replica: nothing can be counted there");
        }
    }

    private void warn(String message) {
        if (logged.add(message)) {
            System.getLogger(LOGGER).log(Level.WARNING, message);
        }
    }
}
