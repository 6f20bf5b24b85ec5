package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.StrategySpec;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.WhenAway;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import org.awaitility.core.ConditionFactory;

/** Instances of a service that ask several limits for keys at random until closed, and what each key was granted. */
final class KeyedLoad implements AutoCloseable {
    private static final int INSTANCES = 2;
    private static final int THREADS = 4;
    private static final Duration TIMEOUT = Duration.ofMillis(100);

    /** A limit of all instances, the keys that it is asked for, and the permits of each that were granted. */
    static final class Limit {
        private final List<StoreRateLimiter> instances = new ArrayList<>();
        private final List<String> keys;
        private final AtomicLongArray granted;

        private Limit(List<String> keys) {
            this.keys = List.copyOf(keys);
            granted = new AtomicLongArray(keys.size());
        }

        List<String> keys() {
            return keys;
        }

        long granted(int key) {
            return granted.get(key);
        }

        /** Of all keys. */
        long granted() {
            long sum = 0;
            for (int key = 0; key < keys.size(); key++) {
                sum += granted.get(key);
            }
            return sum;
        }

        /** Of the key that was granted the most. */
        long most() {
            long most = 0;
            for (int key = 0; key < keys.size(); key++) {
                most = Math.max(most, granted.get(key));
            }
            return most;
        }

        boolean isUp() {
            return instances.stream().allMatch(limiter -> limiter.status().up());
        }

        boolean isAway() {
            return instances.stream().noneMatch(limiter -> limiter.status().up());
        }

        /** Permits that were granted, and perhaps not counted. */
        long uncounted() {
            return instances.stream()
                    .mapToLong(limiter -> limiter.status().uncountedPermits())
                    .sum();
        }

        /** Requests that were decided without the store. */
        long localDecisions() {
            return instances.stream()
                    .mapToLong(limiter -> limiter.status().localDecisions())
                    .sum();
        }

        private boolean isBack(List<Long> before) {
            for (int i = 0; i < instances.size(); i++) {
                if (instances.get(i).status().answers() <= before.get(i) + 10) {
                    return false;
                }
            }
            return isUp();
        }
    }

    /** For what servers do in real time: it only must happen. */
    static ConditionFactory eventually() {
        return TestScripts.soon().atMost(Duration.ofMinutes(5));
    }

    private final Ticker ticker = Ticker.system();
    private final long start = ticker.read();
    private final List<Redis> connections = new ArrayList<>();
    private final List<Limit> limits = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
    private final LongAdder calls = new LongAdder();
    private final LongAdder byStore = new LongAdder();
    private final int together;
    private volatile boolean ended;

    /** Each thread makes so many requests at once, and then waits for all of them. */
    KeyedLoad(String uri, int together) {
        this.together = together;
        for (int i = 0; i < INSTANCES; i++) {
            connections.add(Redis.connect(uri));
        }
    }

    /** Before the start. */
    Limit limit(String name, StrategySpec spec, WhenAway whenAway, List<String> keys) {
        Limit made = new Limit(keys);
        for (Redis redis : connections) {
            made.instances.add(RedisLimiters.of(name, spec, redis, whenAway, options -> options.timeout(TIMEOUT)));
        }
        limits.add(made);
        return made;
    }

    void start() {
        for (int i = 0; i < THREADS; i++) {
            int instance = i % INSTANCES;
            SplittableRandom random = new SplittableRandom(i);
            threads.add(new Thread(() -> ask(instance, random), "keyed-load-" + i));
        }
        threads.forEach(Thread::start);
    }

    private void ask(int instance, SplittableRandom random) {
        List<CompletableFuture<?>> asked = new ArrayList<>();
        while (!ended) {
            for (int i = 0; i < together; i++) {
                try {
                    asked.add(ask(instance, limits.get(random.nextInt(limits.size())), random));
                } catch (Throwable t) {
                    thrown.add(t);
                }
            }
            asked.forEach(CompletableFuture::join);
            asked.clear();
            calls.add(together);
        }
    }

    private CompletableFuture<?> ask(int instance, Limit limit, SplittableRandom random) {
        int key = random.nextInt(limit.keys.size());
        return limit.instances
                .get(instance)
                .acquireAsync(Request.forKey(limit.keys.get(key)), Duration.ZERO)
                .handle((decision, failure) -> {
                    if (failure != null) {
                        thrown.add(failure);
                    } else {
                        count(limit, key, decision);
                    }
                    return decision;
                })
                .toCompletableFuture();
    }

    private void count(Limit limit, int key, Decision decision) {
        if (decision instanceof Permit permit) {
            limit.granted.incrementAndGet(key);
            byStore.add(permit.quota() == null ? 0 : 1);
            permit.release(Outcome.SUCCESS);
        }
    }

    /** That have returned. */
    long calls() {
        return calls.sum();
    }

    /** Permits that the store itself has granted. */
    long byStore() {
        return byStore.sum();
    }

    /** What a rate refills from the start until now, and one permit more. */
    long refilled(long perSecond) {
        return perSecond * (ticker.read() - start) / 1_000_000_000 + 1;
    }

    /** From now on, until the store answers all instances again. */
    void awaitBack() {
        List<List<Long>> before = limits.stream()
                .map(limit -> limit.instances.stream()
                        .map(limiter -> limiter.status().answers())
                        .toList())
                .toList();
        eventually().until(() -> {
            for (int i = 0; i < limits.size(); i++) {
                if (!limits.get(i).isBack(before.get(i))) {
                    return false;
                }
            }
            return true;
        });
    }

    /** From now on, until so many requests are answered. */
    void awaitCalls(long more) {
        long enough = calls() + more;
        eventually().until(() -> calls() >= enough);
    }

    /** Ends the threads; nothing was thrown. */
    void check(String name) {
        end();
        assertEquals(List.of(), new ArrayList<>(thrown), name);
        assertTrue(calls() > 0, name);
    }

    private void end() {
        ended = true;
        boolean interrupted = false;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        end();
        limits.forEach(limit -> limit.instances.forEach(StoreRateLimiter::close));
        connections.forEach(Redis::close);
    }
}
