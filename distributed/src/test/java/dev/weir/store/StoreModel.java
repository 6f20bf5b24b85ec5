package dev.weir.store;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.TokenBucket;
import dev.weir.share.Instances.Place;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Some instances with one limit over one model store, in virtual time, with what they grant counted. */
final class StoreModel {
    static final long MILLI = 1_000_000;

    private record Asked(CompletableFuture<Decision> future, Request request, long latest) {
        long permits() {
            return request.permits();
        }
    }

    final VirtualTime time = new VirtualTime();
    final ModelStore store;
    final List<TestNetwork> networks = new ArrayList<>();
    final List<StoreRateLimiter> limiters = new ArrayList<>();
    private final List<Asked> open = new ArrayList<>();
    private final SplittableRandom random;
    private final long rate;
    private final long burst;
    private final long started;

    /** Permits granted to callers, also if cancelled at once. */
    private long granted;

    private long cancelledHere;

    /** Permits granted to callers and not cancelled. */
    long admitted;

    /** The most that was admitted beyond the burst, the rate, and what may not have been counted at that moment. */
    long worst = Long.MIN_VALUE;

    /** The most that was admitted in a window beyond the rate. */
    long most;

    private long overhang;
    private long metered;

    /** Requests that were answered too late. */
    int late;

    StoreModel(SplittableRandom seed, int instances, long rate, long burst, Mode mode, boolean local) {
        this(seed, instances, rate, burst, mode, local, limit -> limit);
    }

    /** The last argument replaces the store of an instance by a broken one. */
    StoreModel(
            SplittableRandom seed,
            int instances,
            long rate,
            long burst,
            Mode mode,
            boolean local,
            UnaryOperator<StoreLimit> twin) {
        this.random = seed;
        this.rate = rate;
        this.burst = burst;
        this.started = time.read();
        this.store = new ModelStore(time, rate, 1_000 * MILLI, burst);
        for (int i = 0; i < instances; i++) {
            networks.add(new TestNetwork(time));
            limiters.add(limiter(i, instances, mode, local, twin));
        }
    }

    StoreRateLimiter limiter(int i, int instances, Mode mode, boolean local, UnaryOperator<StoreLimit> twin) {
        StoreLimit shared = twin.apply(store.over(networks.get(i)));
        Place place = new Place(i, instances);
        TokenBucket bucket = TokenBucket.of(rate, Duration.ofSeconds(1)).withCapacity(burst);
        return StoreRateLimiter.builder(
                        "api", bucket, spec -> shared, local ? WhenAway.local(() -> place) : WhenAway.closed())
                .local(WhenAwayTest::part)
                .mode(mode)
                .ticker(time)
                .timeout(Duration.ofMillis(20))
                .probeInterval(Duration.ofMillis(20))
                .executor(Runnable::run)
                .build();
    }

    /** One request of an instance; a few are cancelled. */
    void ask(int instance, long permits, long maxWait, @Nullable Object key) {
        Request plain = new Request(permits, 0, key, Request.NO_DEADLINE);
        Request request = random.nextBoolean() ? plain.refundable() : plain;
        CompletableFuture<Decision> future =
                limiters.get(instance).acquireAsync(request, Duration.ofNanos(Math.max(0, maxWait)));
        open.add(new Asked(future, request, time.read() + Math.max(0, maxWait) + 22 * MILLI));
        settle();
    }

    /** Lets time pass, a tenth of a millisecond at a time, and counts what was granted. */
    void pass(long nanos) {
        for (long passed = 0; passed < nanos; passed += MILLI / 10) {
            time.advance(MILLI / 10);
            for (TestNetwork network : networks) {
                network.observe();
            }
            settle();
        }
    }

    private void settle() {
        for (int i = open.size() - 1; i >= 0; i--) {
            Asked asked = open.get(i);
            if (asked.future.isDone()) {
                open.remove(i);
                count(asked);
            } else if (time.read() - asked.latest > 0) {
                late++;
            }
        }
    }

    private void count(Asked asked) {
        if (asked.future.join() instanceof Permit permit) {
            granted += asked.permits();
            boolean isCancelled = random.nextInt(10) == 0;
            boolean first = isCancelled && permit.release(Outcome.CANCELLED);
            if (isCancelled && asked.request.isRefundable()) {
                cancelledHere += first && permit.quota() == null ? asked.permits() : 0;
                return;
            }
            admitted += asked.permits();
            long now = time.read();
            overhang = Math.max(0, overhang - (now - metered) * rate) + asked.permits() * 1_000 * MILLI;
            metered = now;
            most = Math.max(most, overhang / (1_000 * MILLI));
            long possible = burst + (now - started) * rate / (1_000 * MILLI);
            worst = Math.max(worst, admitted - possible - uncounted());
        }
    }

    /** Cancels one request that is open. */
    void cancelOne() {
        if (!open.isEmpty()) {
            boolean unused = open.remove(random.nextInt(open.size())).future.cancel(true);
        }
    }

    /** Ends all faults and waits until all is quiet; how many requests have no answer. */
    int quiet() {
        for (TestNetwork network : networks) {
            network.heal();
        }
        pass(1_500 * MILLI);
        limiters.forEach(StoreRateLimiter::close);
        pass(100 * MILLI);
        return open.size();
    }

    /** What the rates of the parts grant while their instances are cut off. */
    long partsWhileCutOff() {
        long nanos = networks.stream().mapToLong(network -> network.brokenNanos).sum();
        return nanos / limiters.size() * rate / (1_000 * MILLI) + limiters.size();
    }

    /** Permits that were granted without the store and cancelled: the store counts them. */
    long cancelledHere() {
        return cancelledHere;
    }

    long used() {
        return granted;
    }

    /** Replaces an instance by one that has just started. */
    void restart(int i) {
        limiters.get(i).close();
        limiters.set(i, limiter(i, limiters.size(), Mode.exact(), true, limit -> limit));
    }

    long burst() {
        return burst;
    }

    long inDoubt() {
        return limiters.stream()
                .mapToLong(limiter -> limiter.status().inDoubtPermits())
                .sum();
    }

    /** What was granted here and may not have been counted by the store. */
    long uncounted() {
        return limiters.stream()
                .mapToLong(limiter -> limiter.status().uncountedPermits())
                .sum();
    }

    /** What the store counts more than was admitted. */
    long surplus() {
        return store.counted() - admitted;
    }
}
