package dev.weir.jdbc;

import static org.junit.jupiter.api.Assertions.*;
import dev.weir.store.state.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TrialTest {
    static byte[] b(long v) { return Long.toString(v).getBytes(); }
    static long v(byte[] s) { return s == null ? 0 : Long.parseLong(new String(s)); }
    @ParameterizedTest
    @ValueSource(strings = {"h2", "mariaDb", "postgres"})
    void counts(String name) throws Exception {
        Database db = name.equals("h2") ? Database.h2() : name.equals("mariaDb") ? Database.mariaDb() : Database.postgres();
        try (db; JdbcStore store = JdbcStore.builder(db.source()).createTable().threads(8).timeout(java.time.Duration.ofSeconds(5)).build()) {
            System.out.println(name + " " + store.read(List.of("a", "b")).toCompletableFuture().get());
            List<Replacement> two = List.of(new Replacement("b", 0, b(1), 0, 1000_000_000), new Replacement("a", 0, b(2), 0, 1000_000_000));
            System.out.println(name + " " + store.replace(two).toCompletableFuture().get());
            System.out.println(name + " lost " + store.replace(two).toCompletableFuture().get());
            System.out.println(name + " absent " + store.replace(List.of(new Replacement("zz", 7, b(1), 0, 1000_000_000))).toCompletableFuture().get());
            System.out.println(name + " late " + store.replace(List.of(new Replacement("zz", 0, b(1), Long.MAX_VALUE / 4, 1000_000_000))).toCompletableFuture().get());
            System.out.println(name + " read " + store.read(List.of("zz", "a", "b")).toCompletableFuture().get());
            for (int keys : new int[] {1, 8}) for (int threads : new int[] {1, 8}) {
                int rounds = 2000; String[] names = new String[keys]; for (int i = 0; i < keys; i++) names[i] = "k" + keys + "-" + threads + "-" + i;
                AtomicLong made = new AtomicLong(), lost = new AtomicLong();
                ExecutorService pool = Executors.newFixedThreadPool(threads);
                long t0 = System.nanoTime();
                List<Future<?>> fs = new ArrayList<>();
                for (int t = 0; t < threads; t++) fs.add(pool.submit(() -> {
                    Map<String, Stored> last = new HashMap<>();
                    for (int r = 0; r < rounds / threads; r++) {
                        List<Replacement> rs = new ArrayList<>();
                        List<String> ns = new ArrayList<>(List.of(names)); Collections.shuffle(ns, ThreadLocalRandom.current());
                        for (String n : ns) { Stored s = last.get(n); rs.add(new Replacement(n, s == null ? 0 : s.version(), b(1 + (s == null ? 0 : v(s.state()))), s == null ? 0 : s.atMicros(), 1000_000_000)); }
                        List<Stored> out = store.replace(rs).toCompletableFuture().get();
                        for (int i = 0; i < out.size(); i++) { last.put(ns.get(i), out.get(i)); if (out.get(i).isReplaced()) made.incrementAndGet(); else lost.incrementAndGet(); }
                    }
                    return null;
                }));
                for (Future<?> f : fs) f.get();
                double sec = (System.nanoTime() - t0) / 1e9;
                pool.shutdown();
                long sum = store.read(List.of(names)).toCompletableFuture().get().stream().mapToLong(s -> v(s.state())).sum();
                System.out.printf("%s keys %d threads %d: statements/s %.0f made %d lost %d sum %d%n", name, keys, threads, rounds / sec, made.get(), lost.get(), sum);
                assertEquals(made.get(), sum);
            }
        }
    }
}
