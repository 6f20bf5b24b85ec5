package dev.weir.config;

import dev.weir.AsyncLimiter;
import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.config.entry.Backend;
import dev.weir.config.entry.FollowedRequest;
import dev.weir.config.entry.KeyRule;
import dev.weir.config.entry.NamedEntry;
import dev.weir.config.entry.SeveralPermits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Several names of a {@link LimiterRegistry} for one request, which all of them grant or which takes nothing from any: what the
 * others granted to a refused request is refunded. Thread-safe.
 *
 * <p>The names are asked in the order of the alphabet, whatever order they were given in, and last the one that a store counts. A
 * request that waits for one of them holds what those before it have granted, for at most its time: since all wait in the same
 * order, no two requests block each other.
 */
public final class NamedLimiters implements AsyncLimiter {
    private final List<NamedEntry> entries;

    private NamedLimiters(List<NamedEntry> entries) {
        this.entries = entries;
    }

    /**
     * Those of several names.
     *
     * @throws IllegalArgumentException if a name is there twice, a store counts more than one of the limits, or one key cannot be
     *     that of all
     */
    static NamedLimiters of(List<NamedEntry> entries) {
        List<String> names = entries.stream().map(NamedEntry::name).toList();
        if (names.stream().distinct().count() < names.size()) {
            throw new IllegalArgumentException("names must differ, were " + names);
        }
        List<String> stored = those(entries, NamedLimiters::isStored);
        if (stored.size() > 1) {
            throw new IllegalArgumentException(
                    "names must include at most one limit that a store counts, because not all "
                            + "that a store has granted can be taken back, were " + stored);
        }
        List<String> byKeyOfCode = those(entries, entry -> isKeyed(entry) && !hasDimensions(entry));
        List<String> byDimensions = those(entries, NamedLimiters::hasDimensions);
        if (!byKeyOfCode.isEmpty() && !byDimensions.isEmpty()) {
            throw new IllegalArgumentException("names must not include limits by the key of a request, were "
                    + byKeyOfCode + ", beside limits by the dimensions of a document, were " + byDimensions);
        }
        return new NamedLimiters(
                entries.stream().sorted(Comparator.comparing(NamedEntry::name)).toList());
    }

    private static List<String> those(List<NamedEntry> entries, Predicate<NamedEntry> which) {
        return entries.stream().filter(which).map(NamedEntry::name).toList();
    }

    private static boolean isKeyed(NamedEntry entry) {
        return entry.inForce().keys() != null;
    }

    private static boolean hasDimensions(NamedEntry entry) {
        KeyRule keys = entry.inForce().keys();
        return keys != null && !keys.dimensions().isEmpty();
    }

    private static boolean isStored(NamedEntry entry) {
        return entry.inForce().backend() instanceof Backend.Stored;
    }

    /** The names. */
    public List<String> names() {
        return entries.stream().map(NamedEntry::name).toList();
    }

    /**
     * A request for one permit with the dimensions that the limits count by; see {@link NamedLimiter#request}.
     *
     * @param dimensions gives the value of a dimension; null or empty = it has none
     */
    public Request request(Function<String, @Nullable String> dimensions) {
        return KeyRule.request(
                dimensions,
                entries.stream().map(entry -> entry.inForce().keys()).toArray(KeyRule[]::new));
    }

    /** Tries to acquire, without waiting for permits; see {@link NamedLimiter#tryAcquire(Request)}. */
    public Decision tryAcquire(Request request) {
        return acquireAsync(request, Duration.ZERO).join();
    }

    @Override
    public Decision acquire(Request request, Duration maxWait) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        CompletableFuture<Decision> answer = acquireAsync(request, maxWait);
        try {
            return answer.get();
        } catch (InterruptedException e) {
            if (!answer.cancel(false) && answer.join() instanceof Permit permit) {
                permit.release(Outcome.CANCELLED);
            }
            throw e;
        } catch (ExecutionException e) {
            throw new IllegalStateException("a limit failed", e.getCause());
        }
    }

    /** Acquires a permit, waiting at most for {@link #maxWait}. */
    public Decision acquire(Request request) throws InterruptedException {
        return acquire(request, maxWait());
    }

    @Override
    public CompletableFuture<Decision> acquireAsync(Request request, Duration maxWait) {
        JointRequest joint = new JointRequest(request, maxWait);
        CompletableFuture<Decision> unused = joint.whenComplete((decision, failure) -> joint.cancelAsked());
        joint.goOn();
        return joint;
    }

    /** The longest that one of the names waits now for a request that does not say it; zero = none waits. */
    public Duration maxWait() {
        return entries.stream()
                .map(NamedEntry::maxWait)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    /** The figures of the limit that leaves the fewest permits; see {@link NamedLimiter#quota}. */
    public Permit.@Nullable Quota quota(Request request) {
        return entries.stream()
                .map(entry -> entry.quota(request))
                .filter(Objects::nonNull)
                .min(Comparator.comparingLong(Permit.Quota::remaining))
                .orElse(null);
    }

    /** One request, which asks one limit after the other. */
    private final class JointRequest extends CompletableFuture<Decision> {
        private final Request request;
        private final Duration maxWait;
        private final List<NamedEntry> order;
        private final long startedAt;
        /* Written before isDone is read; who ends this future does so, then reads it: one of the two cancels. */
        private volatile @Nullable CompletableFuture<Decision> asked;
        /* Belongs to the thread that goes on. */
        private final List<Permit> granted = new ArrayList<>();

        JointRequest(Request request, Duration maxWait) {
            this.request = request;
            this.maxWait = maxWait;
            // What a store grants cannot always be refunded, so nobody may refuse after it.
            order = entries.stream()
                    .sorted(Comparator.comparing(NamedLimiters::isStored))
                    .toList();
            startedAt = now();
        }

        private long now() {
            return entries.get(0).environment().ticker().read();
        }

        private void cancelAsked() {
            CompletableFuture<Decision> present = asked;
            if (present != null) {
                present.cancel(false);
            }
        }

        private void goOn() {
            while (!isDone() && granted.size() < order.size()) {
                NamedEntry next = order.get(granted.size());
                CompletableFuture<Decision> answer;
                try {
                    answer = new FollowedRequest(next, request, left()).ask();
                } catch (Throwable t) {
                    answer = CompletableFuture.failedFuture(t);
                }
                asked = answer;
                if (isDone()) {
                    cancelAsked();
                }
                if (!answer.isDone()) {
                    CompletableFuture<Decision> unused = answer.whenComplete((decision, failure) -> {
                        answered(decision, failure);
                        goOn();
                    });
                    return;
                }
                CompletableFuture<Decision> unused = answer.whenComplete(this::answered);
            }
            if (granted.size() < order.size() || !complete(new SeveralPermits(granted))) {
                refund();
            }
        }

        private Duration left() {
            return FollowedRequest.left(request, maxWait, now() - startedAt);
        }

        private void answered(@Nullable Decision decision, @Nullable Throwable failure) {
            if (decision instanceof Permit permit) {
                granted.add(permit);
            } else if (decision != null) {
                refund();
                boolean unused = complete(decision);
            } else {
                refund();
                boolean unused =
                        completeExceptionally(failure == null ? new NullPointerException("decision") : failure);
            }
        }

        private void refund() {
            granted.forEach(permit -> permit.release(Outcome.CANCELLED));
            granted.clear();
        }
    }
}
