package dev.weir.named.recorder;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Dimensions;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.recorder.RecordedLoad.KeyShare;
import dev.weir.named.recorder.RecordedLoad.KeyShares;
import dev.weir.named.recorder.Trace.Arrival;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.testkit.VirtualTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A limit at work in virtual time under a whole trace: limiter, queue and adaptive control as its plan says. What it refuses is the
 * truth that previews are compared with, and what can be recorded of it is counted beside.
 */
final class LiveLimit {
    private static final int ONE_IN = 16;

    private final VirtualTime time = new VirtualTime(1);
    private final ManagedLimiter limiter;
    private final @Nullable AdmissionQueue queue;
    private final List<String> dimensions;
    private final View view;
    private long refused;

    /** The counts of slices and seconds, and the sample of hold times. */
    private static final class View {
        private final long sliceNanos;
        private final int[] arrivals;
        private final long[] admitted;
        private final long[] refused;
        private final long[] limits;
        private final List<long[]> holds = new ArrayList<>();
        private final List<Map<String, Long>> keys = new ArrayList<>();
        private final SplittableRandom random = new SplittableRandom(16);

        View(long sliceNanos, long spanNanos) {
            this.sliceNanos = sliceNanos;
            arrivals = new int[(int) (spanNanos / sliceNanos)];
            int seconds = (int) (spanNanos / Trace.SECOND);
            admitted = new long[seconds];
            refused = new long[seconds];
            limits = new long[seconds];
            for (int i = 0; i < seconds; i++) {
                keys.add(new TreeMap<>());
            }
        }

        void arrived(Arrival request) {
            arrivals[(int) (request.at() / sliceNanos)]++;
            if (request.key() != null && random.nextInt(ONE_IN) == 0) {
                keys.get((int) (request.at() / Trace.SECOND)).merge(request.key(), (long) ONE_IN, Long::sum);
            }
        }

        void granted(long at, long holdNanos) {
            count(admitted, at);
            if (random.nextInt(ONE_IN) == 0) {
                holds.add(new long[] {at / sliceNanos, holdNanos});
            }
        }

        void count(long[] seconds, long at) {
            seconds[(int) Math.min(seconds.length - 1, at / Trace.SECOND)]++;
        }

        RecordedLoad load() {
            holds.sort(Comparator.comparingLong(each -> each[0]));
            List<KeyShares> shares = keys.stream()
                    .map(each -> new KeyShares(each.entrySet().stream()
                            .map(key -> new KeyShare(key.getKey(), key.getValue()))
                            .sorted(Comparator.comparingLong(KeyShare::requests).reversed())
                            .limit(20)
                            .toList()))
                    .toList();
            return new RecordedLoad(
                    Instant.EPOCH,
                    sliceNanos,
                    arrivals,
                    holds.stream().mapToInt(each -> (int) each[0]).toArray(),
                    holds.stream().mapToLong(each -> each[1]).toArray(),
                    keys.stream().allMatch(Map::isEmpty) ? List.of() : shares,
                    limits,
                    admitted,
                    refused,
                    false);
        }
    }

    private LiveLimit(LimitPlan plan, View view) {
        this.view = view;
        limiter = Limiters.builder(plan.name(), plan.spec()).ticker(time).build();
        QueueSpec waiting = plan.find(LimitPlan.QUEUE);
        queue = waiting == null
                ? null
                : AdmissionQueue.builder(plan.name(), limiter, waiting)
                        .ticker(time)
                        .alarm(time)
                        .executor(Runnable::run)
                        .build();
        dimensions = plan.dimensions();
        LimitPlan.Adaptive adaptive = plan.find(LimitPlan.ADAPTIVE);
        if (adaptive != null) {
            AdaptiveControl unused = AdaptiveControl.builder(
                            limiter, adaptive.controller().get())
                    .bounds(adaptive.bounds())
                    .waiting(() -> queue == null ? 0 : queue.length())
                    .build();
        }
    }

    /** How many of the requests are refused under this plan. */
    static long refused(LimitPlan plan, Trace trace) {
        LiveLimit live = new LiveLimit(plan, new View(10 * Trace.MILLI, trace.spanNanos()));
        live.run(trace);
        return live.refused;
    }

    /** What is recorded of the requests under this plan. */
    static RecordedLoad recorded(LimitPlan plan, Trace trace, long sliceNanos) {
        LiveLimit live = new LiveLimit(plan, new View(sliceNanos, trace.spanNanos()));
        live.run(trace);
        return live.view.load();
    }

    private void run(Trace trace) {
        int slices = (int) (Trace.SECOND / view.sliceNanos);
        for (int i = 0; i < view.limits.length * slices; i++) {
            int second = i / slices;
            boolean isLast = i % slices == slices - 1;
            time.alarm((i + 1) * view.sliceNanos - 1, () -> {
                view.limits[second] += limiter.dial().limit();
                if (isLast) {
                    view.limits[second] /= slices;
                }
            });
        }
        for (Arrival each : trace.arrivals()) {
            time.advance(each.at() + 1 - time.read());
            view.arrived(each);
            Request request = request(each);
            if (queue == null) {
                decided(limiter.tryAcquire(request), each);
            } else {
                queue.acquireAsync(request).thenAccept(decision -> decided(decision, each));
            }
        }
        time.advance(trace.spanNanos());
    }

    private Request request(Arrival arrival) {
        String key = arrival.key();
        if (key == null) {
            return Request.ONE;
        }
        return Request.forKey(dimensions.isEmpty() ? key : Dimensions.of(dimensions.get(0), key));
    }

    private void decided(Decision decision, Arrival arrival) {
        long at = time.read() - 1;
        if (decision instanceof Permit permit) {
            view.granted(at, arrival.holdNanos());
            time.alarm(arrival.holdNanos(), () -> permit.release(Outcome.SUCCESS));
        } else {
            refused++;
            view.count(view.refused, at);
        }
    }
}
