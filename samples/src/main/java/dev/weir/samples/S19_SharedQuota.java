package dev.weir.samples;

import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.share.Share;
import dev.weir.testservers.ZooKeeperServer;
import dev.weir.zookeeper.ZooKeeperRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/*
 * Instances share a quota of 10 requests in flight over a ZooKeeper that the sample starts, while they come and go. The shares add
 * up to the quota, and a share is lowered before another is raised, so that the sum is never more.
 *
 * Expected output:
 *
 *     one instance      [10]
 *     two more          [4, 3, 3]
 *     the first leaves  [5, 5]
 *     another comes     [4, 3, 3]
 *     the sum was never above 10
 */
public final class S19_SharedQuota {
    private static final long QUOTA = 10;

    private record Instance(ZooKeeperRegistry registry, ManagedLimiter limiter, Share share) {
        static Instance of(String name, ZooKeeperServer server) {
            // #region share
            ZooKeeperRegistry registry =
                    ZooKeeperRegistry.connect(server.connection(), "/weir/shop", name, Duration.ofSeconds(2));
            ManagedLimiter limiter = Limiters.of("orders", new Semaphore(1));
            Share share = Share.builder("orders", registry, QUOTA).degraded(1).limiting(limiter);
            // #endregion share
            return new Instance(registry, limiter, share);
        }

        void leave() {
            share.close();
            registry.close();
        }
    }

    private final Map<String, Instance> instances = new LinkedHashMap<>();
    private long most;

    private S19_SharedQuota() {}

    public static void main(String[] args) throws InterruptedException {
        new S19_SharedQuota().run();
    }

    private void run() throws InterruptedException {
        try (ZooKeeperServer server = ZooKeeperServer.started(Duration.ofMillis(500))) {
            instances.put("a", Instance.of("a", server));
            show("one instance");
            instances.put("b", Instance.of("b", server));
            instances.put("c", Instance.of("c", server));
            show("two more");
            instances.remove("a").leave();
            show("the first leaves");
            instances.put("d", Instance.of("d", server));
            show("another comes");
            instances.values().forEach(Instance::leave);
        }
        System.out.println("the sum was " + (most <= QUOTA ? "never above " + QUOTA : "up to " + most));
    }

    /** Waits until the quota is divided among all: by two shares that differ by one at most. */
    private void show(String what) throws InterruptedException {
        List<Long> shares;
        long sum;
        do {
            Thread.sleep(1);
            shares = new ArrayList<>();
            for (Instance instance : instances.values()) {
                shares.add(instance.share().share());
            }
            sum = shares.stream().mapToLong(Long::longValue).sum();
            most = Math.max(most, sum);
            shares.sort((a, b) -> Long.compare(b, a));
        } while (sum < QUOTA || shares.get(0) - shares.get(shares.size() - 1) > 1);
        System.out.printf("%-17s %s%n", what, shares);
    }
}
