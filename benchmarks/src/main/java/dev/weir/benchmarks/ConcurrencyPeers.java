package dev.weir.benchmarks;

import com.netflix.concurrency.limits.Limit;
import com.netflix.concurrency.limits.Limiter;
import com.netflix.concurrency.limits.Limiter.Listener;
import com.netflix.concurrency.limits.limit.AIMDLimit;
import com.netflix.concurrency.limits.limit.FixedLimit;
import com.netflix.concurrency.limits.limit.Gradient2Limit;
import com.netflix.concurrency.limits.limit.VegasLimit;
import com.netflix.concurrency.limits.limiter.SimpleLimiter;
import dev.failsafe.CircuitBreaker;
import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeException;
import dev.failsafe.FailsafeExecutor;
import dev.failsafe.RateLimiter;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.bulkhead.BulkheadFullException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;

/** The peers' concurrency limiters as their manuals make them, without waiting; after those of their other kinds, see {@link Mixed}. */
final class ConcurrencyPeers {
    private ConcurrencyPeers() {}

    /** Takes the only permit; is refused another and returns the first; and so on. */
    private static void exercise(BooleanSupplier acquire, Runnable release) {
        Mixed.exercise(() -> {
            boolean granted = acquire.getAsBoolean();
            if (!granted) {
                release.run();
            }
            return granted;
        });
    }

    static Bulkhead resilience4j(int limit) {
        if (!Mixed.isAlone()) {
            Bulkhead fair = bulkhead(1, true);
            exercise(fair::tryAcquirePermission, fair::onComplete);
            Bulkhead bracket = bulkhead(1, true);
            Mixed.Works works = new Mixed.Works();
            exercise(
                    () -> {
                        try {
                            bracket.executeRunnable(works.next());
                            return bracket.tryAcquirePermission();
                        } catch (BulkheadFullException full) {
                            return false;
                        }
                    },
                    bracket::onComplete);
        }
        return bulkhead(limit, false);
    }

    private static Bulkhead bulkhead(int limit, boolean isFair) {
        return Bulkhead.of(
                "measured",
                BulkheadConfig.custom()
                        .maxConcurrentCalls(limit)
                        .maxWaitDuration(Duration.ZERO)
                        .fairCallHandlingStrategyEnabled(isFair)
                        .build());
    }

    static Limiter<Void> netflix(int limit) {
        if (!Mixed.isAlone()) {
            exercise(simple(vegas()));
            exercise(simple(AIMDLimit.newBuilder()
                    .initialLimit(1)
                    .minLimit(1)
                    .maxLimit(1)
                    .build()));
        }
        return simple(FixedLimit.of(limit));
    }

    static Limiter<Void> netflixGradient2() {
        if (!Mixed.isAlone()) {
            exercise(simple(vegas()));
            exercise(simple(FixedLimit.of(1)));
        }
        return simple(Gradient2Limit.newDefault());
    }

    private static Limiter<Void> simple(Limit limit) {
        return SimpleLimiter.newBuilder().limit(limit).build();
    }

    private static Limit vegas() {
        return VegasLimit.newBuilder().initialLimit(1).maxConcurrency(1).build();
    }

    private static void exercise(Limiter<Void> other) {
        Deque<Listener> held = new ArrayDeque<>();
        exercise(
                () -> {
                    Optional<Listener> listener = other.acquire(null);
                    listener.ifPresent(held::push);
                    return listener.isPresent();
                },
                () -> held.pop().onSuccess());
    }

    static dev.failsafe.Bulkhead<Object> failsafe(int limit) {
        if (!Mixed.isAlone()) {
            dev.failsafe.Bulkhead<Object> other =
                    dev.failsafe.Bulkhead.builder(1).build();
            exercise(other::tryAcquirePermit, other::releasePermit);
        }
        return dev.failsafe.Bulkhead.builder(limit).build();
    }

    static FailsafeExecutor<Object> failsafeExecutor(int limit) {
        if (!Mixed.isAlone()) {
            Mixed.Works works = new Mixed.Works();
            FailsafeExecutor<Object> rate = Failsafe.with(
                    RateLimiter.burstyBuilder(1, Duration.ofMillis(1)).build());
            Mixed.exercise(() -> ran(rate, works));
            CircuitBreaker<Object> breaker = CircuitBreaker.ofDefaults();
            FailsafeExecutor<Object> breaking = Failsafe.with(breaker);
            exercise(
                    () -> {
                        boolean ran = ran(breaking, works);
                        breaker.open();
                        return ran;
                    },
                    breaker::close);
        }
        return Failsafe.with(failsafe(limit));
    }

    private static boolean ran(FailsafeExecutor<Object> executor, Mixed.Works works) {
        Runnable work = works.next();
        try {
            executor.run(work::run);
            return true;
        } catch (FailsafeException refused) {
            return false;
        }
    }

    /** The JDK's. */
    static Semaphore semaphore(int limit) {
        if (!Mixed.isAlone()) {
            Semaphore fair = new Semaphore(1, true);
            exercise(fair::tryAcquire, fair::release);
        }
        return new Semaphore(limit);
    }
}
