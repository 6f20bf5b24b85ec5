package dev.weir.samples;

import dev.weir.Permit;
import dev.weir.config.LimiterRegistry;
import dev.weir.engine.Counts;
import dev.weir.named.NamedLimiter;
import dev.weir.named.status.ConfigEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/*
 * A new limit reaches 20 instances step by step: first it only counts what it would refuse, then 10 % of the instances enforce
 * it, then half, then all. The last document takes it back at once. Which instances are first follows from a hash of their names,
 * so a share is about met. Each instance gets 8 requests at a time; 5 are allowed.
 *
 * Expected output:
 *
 *     search                                         enforced by  refused  would be refused
 *     concurrency: 5, enforce: 0                        0 of 20         0                60
 *     concurrency: 5, rollout: { percent: 10 }          3 of 20         9                51
 *     concurrency: 5, rollout: { percent: 50 }         11 of 20        33                27
 *     concurrency: 5                                   20 of 20        60                 0
 *     concurrency: 5, enforce: 0                        0 of 20         0                60
 */
public final class S16_StagedRollout {
    private static final int INSTANCES = 20;
    private static final int REQUESTS = 8;

    private final MemoryStore store = new MemoryStore();
    private final BlockingQueue<ConfigEvent> events = new LinkedBlockingQueue<>();
    private final List<LimiterRegistry> instances = new ArrayList<>();
    private int version;

    private S16_StagedRollout() {}

    public static void main(String[] args) throws InterruptedException {
        new S16_StagedRollout().run();
    }

    private void run() throws InterruptedException {
        System.out.println("search                                         enforced by  refused  would be refused");
        write("concurrency: 5, enforce: 0");
        for (int i = 0; i < INSTANCES; i++) {
            instances.add(LimiterRegistry.builder()
                    .instance("search-" + i)
                    .source(store.source())
                    .onEvent(events::add)
                    .build());
        }
        show("concurrency: 5, enforce: 0");
        for (String limit : List.of(
                "concurrency: 5, rollout: { percent: 10 }",
                "concurrency: 5, rollout: { percent: 50 }",
                "concurrency: 5",
                "concurrency: 5, enforce: 0")) {
            write(limit);
            show(limit);
        }
        instances.forEach(LimiterRegistry::close);
    }

    private void write(String limit) {
        version++;
        store.write("""
                document: { version: %d }
                limits:
                  search: { %s }
                """.formatted(version, limit));
    }

    private void show(String limit) throws InterruptedException {
        for (int i = 0; i < INSTANCES; i++) {
            events.take();
        }
        long enforcing = 0;
        long refused = 0;
        long passed = 0;
        for (LimiterRegistry instance : instances) {
            NamedLimiter search = instance.limiter("search");
            Counts counts = search.counts();
            long before = counts.passed();
            refused += REQUESTS - request(search);
            passed += counts.passed() - before;
            enforcing += search.snapshot().enforced() == 1 ? 1 : 0;
        }
        System.out.printf("%-48s %2d of %d %9d %17d%n", limit, enforcing, INSTANCES, refused, passed);
    }

    /** The number of requests that are granted, of those that are in flight together. */
    private static long request(NamedLimiter search) {
        List<Permit> granted = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            if (search.tryAcquire() instanceof Permit permit) {
                granted.add(permit);
            }
        }
        granted.forEach(Permit::close);
        return granted.size();
    }
}
