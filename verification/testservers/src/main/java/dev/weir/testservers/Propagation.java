package dev.weir.testservers;

import dev.weir.config.LimiterRegistry;
import dev.weir.config.source.ConfigSource;
import dev.weir.engine.LimiterView;
import dev.weir.named.status.RegistryObserver;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Registration;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A measurement of how long a change takes from the write at a server to the limit in force, beside a client of the
 * server that only watches for the same write.
 */
public final class Propagation {
    private static final int WARM_UP = 100;
    private static final int CHANGES = 400;
    private static final double MILLION = 1e6;

    /** A server with one document. */
    public interface Server {
        /** Replaces the document; returns when the server has it. */
        void write(String document) throws Exception;

        /** Calls this once for each write from now on, as soon as the client hears of it. */
        void watch(Runnable changed) throws Exception;

        /** The source of the document. */
        ConfigSource source();
    }

    /** One change: when the plain watch heard of it, and when the limit was in force. */
    private static final class Change {
        private final long start = System.nanoTime();
        private final CountDownLatch both = new CountDownLatch(2);
        private volatile long heard;
        private volatile long inForce;
    }

    private volatile Change current = new Change();

    private Propagation() {}

    /** Prints one row: the 50th and 99th percentile of both, in milliseconds, and the ratios. */
    public static void measure(String name, Server server) throws Exception {
        new Propagation().run(name, server);
    }

    private void run(String name, Server server) throws Exception {
        server.write(document(1));
        try (LimiterRegistry registry = LimiterRegistry.builder()
                .source(server.source())
                .startWithin(Duration.ofSeconds(30))
                .onEvent(event -> {})
                .build()) {
            Registration unused = registry.names().observe(new RegistryObserver() {
                @Override
                public Registration onLimiter(LimiterView each) {
                    return each.observe(new LimiterObserver() {
                        @Override
                        public void onLimitChanged(long from, long to, String why) {
                            Change change = current;
                            change.inForce = System.nanoTime();
                            change.both.countDown();
                        }
                    });
                }
            });
            server.watch(() -> {
                Change change = current;
                change.heard = System.nanoTime();
                change.both.countDown();
            });
            long[] heard = new long[CHANGES];
            long[] inForce = new long[CHANGES];
            for (int i = -WARM_UP; i < CHANGES; i++) {
                Change change = change(server, document(2 + (i + WARM_UP) % 1000));
                if (i >= 0) {
                    heard[i] = change.heard - change.start;
                    inForce[i] = change.inForce - change.start;
                }
            }
            print(name, heard, inForce);
        }
    }

    private static String document(int limit) {
        return "limits: { a: { concurrency: " + limit + " } }";
    }

    private Change change(Server server, String document) throws Exception {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
        Change change = new Change();
        current = change;
        server.write(document);
        if (!change.both.await(30, TimeUnit.SECONDS)) {
            throw new IllegalStateException("a change did not arrive: " + document);
        }
        return change;
    }

    private static void print(String name, long[] heard, long[] inForce) {
        Arrays.sort(heard);
        Arrays.sort(inForce);
        int middle = heard.length / 2;
        int high = heard.length * 99 / 100;
        System.out.printf(
                "%-12s watch p50 %7.2f ms  p99 %7.2f ms   limit in force p50 %7.2f ms  p99 %7.2f ms   ratio p50 %.2f  p99 %.2f%n",
                name,
                heard[middle] / MILLION,
                heard[high] / MILLION,
                inForce[middle] / MILLION,
                inForce[high] / MILLION,
                (double) inForce[middle] / heard[middle],
                (double) inForce[high] / heard[high]);
    }
}
