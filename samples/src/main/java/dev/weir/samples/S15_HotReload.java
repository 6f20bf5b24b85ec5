package dev.weir.samples;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import dev.weir.named.NamedLimiter;
import dev.weir.named.plan.Problem;
import dev.weir.named.status.ConfigEvent;
import dev.weir.samples.Ledger.Totals;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/*
 * The number of permits is a document in a config center and changes while 64 threads acquire and release: up, down, up, and
 * with another algorithm. Each change waits until as many permits are out as the limit allows. A document that is wrong, and one
 * that is older, change nothing. The ledger counts from outside: no permit is lost, none is granted above the limit.
 *
 * The config center is a ZooKeeper in this process. "./weir sample 15 etcd" or "redis" takes another one, if it is installed.
 *
 * Expected output:
 *
 *     document                                       in force  most out  lost  over
 *     version: 1, concurrency: 8                          1: 8        8     0     0
 *     version: 2, concurrency: 20                         2: 20      20     0     0
 *     version: 3, concurrency: -5                         3: 20      20     0     0
 *       concurrency must be >= 1 and <= 2147483647, was -5
 *     version: 4, concurrency: 3                          4: 3        3     0     0
 *     version: 2, concurrency: 50                         4: 3        3     0     0
 *       the document must have a higher version than 4, was 2; replaces: 4 lets a lower one follow
 *     version: 5, concurrency: 40, algorithm: counter      5: 40      40     0     0
 */
public final class S15_HotReload {
    private static final int THREADS = 64;
    private static final int DECLARED = 8;
    private static final long MILLI = 1_000_000;

    private final BlockingQueue<ConfigEvent> events = new LinkedBlockingQueue<>();
    private final Ledger ledger = new Ledger(DECLARED);
    private final DocumentStore store;
    private final List<Thread> load = new ArrayList<>();
    private final LimiterRegistry declared = LimiterRegistry.builder().build();
    private NamedLimiter permits = declared.limiter("permits", new Semaphore(DECLARED));
    private volatile boolean ended;

    private S15_HotReload(DocumentStore store) {
        this.store = store;
    }

    public static void main(String[] args) throws Exception {
        try (DocumentStore store = DocumentStore.of(args.length == 0 ? "zookeeper" : args[0])) {
            new S15_HotReload(store).run();
        }
    }

    private void run() throws Exception {
        write("version: 1", "concurrency: 8");
        LedgerSource source = new LedgerSource(store.source(), ledger, "permits", DECLARED, THREADS);
        try (LimiterRegistry registry =
                LimiterRegistry.builder().source(source).onEvent(events::add).build()) {
            permits = registry.limiter("permits", new Semaphore(DECLARED));
            System.out.println("document                                       in force  most out  lost  over");
            show(registry, "version: 1, concurrency: 8");
            change(registry, "version: 2", "concurrency: 20");
            change(registry, "version: 3", "concurrency: -5");
            change(registry, "version: 4", "concurrency: 3");
            change(registry, "version: 2", "concurrency: 50");
            change(registry, "version: 5", "concurrency: 40, algorithm: counter");
        }
    }

    private void change(LimiterRegistry registry, String version, String limit) throws Exception {
        startLoad();
        write(version, limit);
        show(registry, version + ", " + limit);
    }

    private void write(String version, String limit) throws Exception {
        store.write("""
                document: { %s }
                limits:
                  permits: { %s }
                """.formatted(version, limit));
    }

    /** Waits for the decision about the document, then until the limit in force is used in full. */
    private void show(LimiterRegistry registry, String document) throws InterruptedException {
        ConfigEvent event = events.take();
        stopLoad();
        ledger.forgetHighest();
        startLoad();
        long most = 0;
        for (int i = 0; i < 10_000 && most < ledger.bound(); i++) {
            LockSupport.parkNanos(MILLI);
            most = Math.max(most, ledger.next().highest());
        }
        stopLoad();
        Totals all = ledger.totals();
        System.out.printf(
                "%-46s %6s: %-2d %7d %5d %5d%n",
                document,
                registry.status().version(),
                ledger.bound(),
                most,
                Math.max(all.granted() - all.returned(), ledger.bound() - Ledger.free(permits, 2 * THREADS)),
                all.over());
        if (event instanceof ConfigEvent.Refused refused) {
            refused.problems().forEach(S15_HotReload::show);
        } else if (event instanceof ConfigEvent.Changed changed) {
            changed.problems().forEach(S15_HotReload::show);
        }
    }

    private static void show(Problem problem) {
        String value = problem.value().isEmpty() ? "" : ", was " + problem.value();
        System.out.println("  " + problem.field() + " " + problem.rule() + value);
    }

    private void startLoad() {
        ended = false;
        while (load.size() < THREADS) {
            Thread thread = new Thread(this::load);
            load.add(thread);
            thread.start();
        }
    }

    private void stopLoad() throws InterruptedException {
        ended = true;
        for (Thread thread : load) {
            thread.join();
        }
        load.clear();
    }

    private void load() {
        while (!ended) {
            long bound = ledger.bound();
            if (permits.tryAcquire() instanceof Permit permit) {
                ledger.admitted(bound);
                LockSupport.parkNanos(2 * MILLI);
                ledger.leaving(0);
                if (permit.release(Outcome.SUCCESS)) {
                    ledger.returned();
                }
            } else {
                LockSupport.parkNanos(MILLI / 4);
            }
        }
    }
}
