package dev.weir.config;

import dev.weir.AsyncLimiter;
import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Several names of a {@link LimiterRegistry} for one request, which all of them grant or which takes nothing from any: what the
 * others granted to a refused request is refunded. A request waits for one limit at a time, and holds nothing of the others
 * meanwhile: requests that name the same limits in another order cannot block each other. Thread-safe.
 *
 * <p>Until another limit has refused, what one has granted is spent: requests that come in that moment may be refused for it.
 */
public final class NamedLimiters implements AsyncLimiter {
    /* The limit that a store counts comes last: what it grants is never refunded. */
    private final List<NamedEntry> entries;

    /** The values of the dimensions that the limits count by. */
    private record Keys(Map<String, String> values) {}

    private NamedLimiters(List<NamedEntry> entries) {
        this.entries = entries;
    }

    /**
     * Those of several names.
     *
     * @throws IllegalArgumentException if a name is there twice, or a store counts more than one of the limits
     */
    static NamedLimiters of(List<NamedEntry> entries) {
        List<String> names = entries.stream().map(NamedEntry::name).toList();
        if (names.stream().distinct().count() < names.size()) {
            throw new IllegalArgumentException("names must differ, were " + names);
        }
        List<String> stored = entries.stream()
                .filter(NamedLimiters::isStored)
                .map(NamedEntry::name)
                .toList();
        if (stored.size() > 1) {
            throw new IllegalArgumentException(
                    "names must include at most one limit that a store counts, because not all "
                            + "that a store has granted can be taken back, were " + stored);
        }
        return new NamedLimiters(entries.stream()
                .sorted(Comparator.comparing(NamedLimiters::isStored))
                .toList());
    }

    private static boolean isStored(NamedEntry entry) {
        return entry.inForce().backend() instanceof Backend.Stored;
    }

    /** The names. */
    public List<String> names() {
        return entries.stream().map(NamedEntry::name).toList();
    }

    /**
     * A request for one permit with the keys that the limits count by now; see {@link NamedLimiter#request}.
     *
     * @param dimensions gives the value of a dimension, at most once; null or empty = it has none
     */
    public Request request(Function<String, @Nullable String> dimensions) {
        Map<String, String> values = new HashMap<>();
        entries.stream()
                .map(entry -> entry.inForce().keys())
                .filter(Objects::nonNull)
                .flatMap(rule -> rule.dimensions().stream())
                .distinct()
                .forEach(dimension ->
                        values.put(dimension, Objects.requireNonNullElse(dimensions.apply(dimension), "")));
        return values.isEmpty() ? Request.ONE : Request.forKey(new Keys(values));
    }

    private static Request counted(NamedEntry entry, Request request) {
        if (!(request.key() instanceof Keys keys)) {
            return request;
        }
        KeyRule rule = entry.inForce().keys();
        return request.withKey(rule == null ? null : rule.key(keys.values::get));
    }

    /** Tries to acquire, without waiting for permits; see {@link NamedLimiter#tryAcquire(Request)}. */
    public Decision tryAcquire(Request request) {
        return acquireAsync(request, Duration.ZERO).join();
    }

    @Override
    public Decision acquire(Request request, Duration maxWait) throws InterruptedException {
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
                .map(entry -> entry.quota(counted(entry, request)))
                .filter(Objects::nonNull)
                .min(Comparator.comparingLong(Permit.Quota::remaining))
                .orElse(null);
    }

    /** One request, in rounds: the limit that refused in the last round is waited for, then the others are tried. */
    private final class JointRequest extends CompletableFuture<Decision> {
        private final Request request;
        private final Duration maxWait;
        private final long startedAt;
        /* Written before isDone is read; a canceller completes this future, then reads it: one of the two cancels. */
        private volatile @Nullable CompletableFuture<Decision> asked;
        /* What follows belongs to the thread that goes on. */
        private List<NamedEntry> round = entries;
        private boolean waits;
        private final List<Permit> granted = new ArrayList<>();

        JointRequest(Request request, Duration maxWait) {
            this.request = request;
            this.maxWait = maxWait;
            startedAt = entries.get(0).environment().ticker().read();
        }

        @Override
        public boolean cancel(boolean mayInterrupt) {
            boolean isCancelled = super.cancel(mayInterrupt);
            cancelAsked();
            return isCancelled;
        }

        private void cancelAsked() {
            CompletableFuture<Decision> present = asked;
            if (present != null) {
                present.cancel(false);
            }
        }

        void goOn() {
            while (!isDone() && granted.size() < round.size()) {
                CompletableFuture<Decision> next;
                try {
                    next = ask(round.get(granted.size()));
                } catch (Throwable t) {
                    fail(t);
                    return;
                }
                asked = next;
                if (isDone()) {
                    cancelAsked();
                }
                if (!next.isDone()) {
                    CompletableFuture<Decision> unused = next.whenComplete((decision, failure) -> {
                        if (answered(decision, failure)) {
                            goOn();
                        }
                    });
                    return;
                }
                if (!answered(next)) {
                    return;
                }
            }
            if (!complete(new SeveralPermits(granted))) {
                refund();
            }
        }

        private CompletableFuture<Decision> ask(NamedEntry entry) {
            Duration wait = waits && granted.isEmpty() ? left() : Duration.ZERO;
            return new FollowedRequest(entry, counted(entry, request), wait).ask();
        }

        private Duration left() {
            Duration deadline = Duration.ofNanos(request.deadlineNanos());
            Duration most = maxWait.compareTo(deadline) > 0 ? deadline : maxWait;
            return most.isNegative()
                    ? most
                    : most.minusNanos(entries.get(0).environment().ticker().read() - startedAt);
        }

        private boolean answered(CompletableFuture<Decision> done) {
            try {
                return answered(done.join(), null);
            } catch (Throwable t) {
                return answered(null, t);
            }
        }

        /* Whether the request goes on. */
        private boolean answered(@Nullable Decision decision, @Nullable Throwable failure) {
            if (decision instanceof Permit permit) {
                granted.add(permit);
                return true;
            }
            if (!(decision instanceof Rejection rejection)) {
                fail(failure == null ? new NullPointerException("decision") : failure);
                return false;
            }
            NamedEntry refused = round.get(granted.size());
            boolean wasWaitedFor = waits && granted.isEmpty();
            refund();
            if (isDone() || wasWaitedFor || left().isNegative() || left().isZero()) {
                complete(rejection);
                return false;
            }
            waits = true;
            round = Stream.concat(Stream.of(refused), entries.stream().filter(entry -> entry != refused))
                    .toList();
            return true;
        }

        private void fail(Throwable failure) {
            refund();
            completeExceptionally(failure);
        }

        private void refund() {
            granted.forEach(permit -> permit.release(Outcome.CANCELLED));
            granted.clear();
        }
    }
}
