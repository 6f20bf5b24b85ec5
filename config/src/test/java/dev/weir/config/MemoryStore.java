package dev.weir.config;

import dev.weir.Decision;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.WarmUp;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.StrategySpec;
import dev.weir.store.Mode;
import dev.weir.store.Store;
import dev.weir.store.StoreLimiter;
import dev.weir.store.WhenAway;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** Counts limits in memory, each key by itself, by the name of the limiter. It cannot count what warms up. */
final class MemoryStore implements Store {
    private final Map<String, Map<Object, ManagedLimiter>> counted = new HashMap<>();
    private final Ticker ticker;
    final List<Made> made = new CopyOnWriteArrayList<>();

    MemoryStore(Ticker ticker) {
        this.ticker = ticker;
    }

    @Override
    public StoreLimiter limiter(String name, StrategySpec spec, Mode mode, WhenAway whenAway) {
        check(spec);
        Made next = new Made(name, spec, mode, whenAway);
        made.add(next);
        return next;
    }

    /** The keys that were counted for a name. */
    Set<Object> keys(String name) {
        synchronized (counted) {
            return Set.copyOf(counted.getOrDefault(name, Map.of()).keySet());
        }
    }

    List<Made> open() {
        return made.stream().filter(each -> !each.closed).toList();
    }

    Made only() {
        assert open().size() == 1 : open();
        return open().get(0);
    }

    private static void check(StrategySpec spec) {
        if (spec instanceof WarmUp) {
            throw new IllegalArgumentException("warm-up must not be given: the store cannot count it");
        }
    }

    /** A limiter over this store. */
    final class Made implements StoreLimiter {
        private final String name;
        private final Mode mode;
        private final WhenAway whenAway;
        private volatile StrategySpec spec;
        private volatile boolean closed;
        final List<CompletableFuture<Decision>> waiting = new CopyOnWriteArrayList<>();
        /** How long each of these may wait. */
        final List<Duration> waits = new CopyOnWriteArrayList<>();

        Made(String name, StrategySpec spec, Mode mode, WhenAway whenAway) {
            this.name = name;
            this.spec = spec;
            this.mode = mode;
            this.whenAway = whenAway;
        }

        Mode mode() {
            return mode;
        }

        WhenAway whenAway() {
            return whenAway;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public StrategySpec spec() {
            return spec;
        }

        @Override
        public void reconfigure(StrategySpec next) {
            check(next);
            spec = next;
        }

        @Override
        public void close() {
            closed = true;
            waiting.forEach(each -> each.complete(new Rejection(name, Reason.CANCELLED, 0, 0)));
        }

        @Override
        public Decision acquire(Request request, Duration maxWait) {
            if (closed) {
                return new Rejection(name, Reason.CANCELLED, 0, 0);
            }
            Object key = Objects.requireNonNullElse(request.key(), "");
            synchronized (counted) {
                ManagedLimiter limiter = counted.computeIfAbsent(name, any -> new HashMap<>())
                        .computeIfAbsent(
                                key,
                                any -> Limiters.builder(name, spec)
                                        .ticker(ticker)
                                        .build());
                limiter.reconfigure(spec);
                return limiter.tryAcquire(Request.of(request.permits()));
            }
        }

        @Override
        public CompletableFuture<Decision> acquireAsync(Request request, Duration maxWait) {
            Decision decision = acquire(request, maxWait);
            boolean mayWait = decision instanceof Rejection rejection && rejection.reason() == Reason.RATE;
            if (!mayWait || maxWait.isZero() || maxWait.isNegative()) {
                return CompletableFuture.completedFuture(decision);
            }
            CompletableFuture<Decision> answer = new CompletableFuture<>();
            waits.add(maxWait);
            waiting.add(answer);
            if (closed) {
                answer.complete(new Rejection(name, Reason.CANCELLED, 0, 0));
            }
            return answer;
        }

        @Override
        public String toString() {
            return name + " " + spec + " " + mode + " " + whenAway;
        }
    }
}
