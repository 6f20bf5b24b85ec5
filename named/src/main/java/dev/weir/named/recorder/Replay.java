package dev.weir.named.recorder;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Dimensions;
import dev.weir.keyed.Keyed;
import dev.weir.named.plan.LimitPlan;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A limit with its queue in virtual time, which answers recorded requests as it would have answered them: by the strategy and the
 * queue that a process has, on a clock that moves from event to event. For one run, by one thread.
 */
final class Replay {
    /** The time for which those that wait at the end may go on. */
    private static final long AFTER_THE_LAST = 60_000_000_000L;

    private static final long SECOND = 1_000_000_000;

    /** The outcome of a run, with how long each granted request waited, in ascending order, and the limit at the end. */
    @SuppressWarnings("ArrayRecordComponent") // one for each request; it is never compared
    record Result(long[] waits, long requests, long refused, long mostInFlight, long limit) {
        /** The longest wait of this share of the granted requests. */
        long waitNanos(double share) {
            return waits.length == 0 ? 0 : waits[(int) Math.min(waits.length - 1, Math.floor(share * waits.length))];
        }
    }

    /** Requests in the order in which they came, for one reader: {@link #next} moves to the first, and then to each other one. */
    interface Traffic {
        /** Moves to the next request; false if there is none. */
        boolean next();

        /** When it came, in nanoseconds since the start. */
        long at();

        /** For how long its permit is held. */
        long holdNanos();

        /** Its key; null = not known. */
        @Nullable
        String key();
    }

    private final ReplayClock clock = new ReplayClock();
    private final ManagedLimiter limiter;
    private final @Nullable AdmissionQueue queue;
    private final @Nullable List<String> dimensions;
    private final Map<String, Request> byKey = new HashMap<>();
    private final boolean holds;
    private long[] waits = new long[1024];
    private int granted;
    private long refused;
    private long inFlight;
    private long mostInFlight;
    private boolean isOver;

    /**
     * A limit as this plan describes it, before the first request, with these limits in each second, less than 1 = as before; null
     * = that of the plan.
     */
    Replay(LimitPlan plan, long @Nullable [] limits) {
        limiter = Limiters.builder(plan.name(), plan.spec()).ticker(clock).build();
        if (plan.get(LimitPlan.ENFORCE) < 1) {
            limiter.enforce(plan.get(LimitPlan.ENFORCE));
        }
        QueueSpec waiting = plan.find(LimitPlan.QUEUE);
        queue = waiting == null
                ? null
                : AdmissionQueue.builder(plan.name(), limiter, waiting)
                        .ticker(clock)
                        .alarm(clock)
                        .executor(Runnable::run)
                        .build();
        holds = limiter.holds();
        dimensions = dimensions(plan);
        if (limits != null) {
            setLimits(limits);
        }
    }

    /* Null if no part counts by key, empty if by the whole key. */
    private static @Nullable List<String> dimensions(LimitPlan plan) {
        List<Keyed> tables = tables(plan);
        return tables.isEmpty()
                ? null
                : tables.stream().flatMap(each -> each.by().stream()).distinct().toList();
    }

    static List<Keyed> tables(LimitPlan plan) {
        return plan.spec().parts().stream()
                .filter(Keyed.class::isInstance)
                .map(Keyed.class::cast)
                .toList();
    }

    private void setLimits(long[] limits) {
        long before = 0;
        for (int i = 0; i < limits.length; i++) {
            long limit = limits[i];
            if (limit > 0 && limit != before) {
                before = limit;
                clock.ring(i * SECOND, () -> limiter.dial().setLimit(limit));
            }
        }
        clock.advanceTo(0);
    }

    /** Answers all the requests; throws if the thread is interrupted, which stays so. */
    Result run(Traffic traffic) {
        long requests = 0;
        while (traffic.next()) {
            if (Thread.currentThread().isInterrupted()) {
                throw new CancellationException("the preview was interrupted");
            }
            requests++;
            clock.advanceTo(traffic.at());
            arrives(request(traffic.key()), traffic.holdNanos());
        }
        clock.advanceTo(clock.sinceStart() + AFTER_THE_LAST);
        isOver = true;
        if (queue != null) {
            queue.close();
        }
        Arrays.sort(waits, 0, granted);
        return new Result(
                Arrays.copyOf(waits, granted),
                requests,
                refused,
                mostInFlight,
                limiter.dial().limit());
    }

    private Request request(@Nullable String key) {
        List<String> names = dimensions;
        return names == null
                ? Request.ONE
                : byKey.computeIfAbsent(key == null ? "unknown" : key, any -> keyed(any, names));
    }

    private static Request keyed(String key, List<String> names) {
        return Request.forKey(
                names.isEmpty()
                        ? key
                        : Dimensions.of(names.stream()
                                .flatMap(name -> List.of(name, key).stream())
                                .toArray(String[]::new)));
    }

    private void arrives(Request request, long holdNanos) {
        if (queue == null) {
            decided(limiter.tryAcquire(request), holdNanos, clock.read());
        } else {
            long since = clock.read();
            CompletableFuture<Void> unused =
                    queue.acquireAsync(request).thenAccept(decision -> decided(decision, holdNanos, since));
        }
    }

    private void decided(Decision decision, long holdNanos, long since) {
        if (decision instanceof Permit permit) {
            granted(permit, holdNanos, clock.read() - since);
        } else if (!isOver) {
            refused++;
        }
    }

    private void granted(Permit permit, long holdNanos, long waited) {
        if (granted == waits.length) {
            waits = Arrays.copyOf(waits, 2 * granted);
        }
        waits[granted++] = waited;
        if (!holds) {
            permit.release(Outcome.SUCCESS);
            return;
        }
        mostInFlight = Math.max(mostInFlight, ++inFlight);
        clock.ring(holdNanos, () -> {
            inFlight--;
            permit.release(Outcome.SUCCESS);
        });
    }
}
