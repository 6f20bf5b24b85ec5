package dev.weir.named.recorder;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.engine.LimiterView;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Dimensions;
import dev.weir.named.Names;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.recorder.RecordedLoad.KeyShare;
import dev.weir.named.recorder.Trace.Arrival;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.queue.QueueView;
import dev.weir.spi.Registration;
import dev.weir.testkit.VirtualTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A limit at work in virtual time under a whole trace: limiter, queue and adaptive control as its plan says. What it refuses is the
 * truth that previews are compared with, and a recorder records it.
 */
final class LiveLimit {
    private static final int ONE_IN = 16;

    private final VirtualTime time = new VirtualTime(1);
    private final Names names = Names.builder()
            .ticker(time)
            .alarm(time)
            .clock(() -> Instant.EPOCH.plusNanos(time.read()))
            .executor(Runnable::run)
            .build();
    private final Recording recording = new Recording(names.table());
    private final SeededSample sample = new SeededSample();
    private final ManagedLimiter limiter;
    private final @Nullable AdmissionQueue queue;
    private final List<String> dimensions;
    private long refused;

    /** What a recorder samples by chance, by a seed: 1 permit in 16, of which 8 in a second are kept, and 1 key in 16. */
    private static final class SeededSample {
        private static final int KEPT = 8;

        private final SplittableRandom random = new SplittableRandom(16);
        private final Map<Long, List<long[]>> holds = new TreeMap<>();
        private final Map<Long, Integer> taken = new HashMap<>();
        private final Map<Long, Map<String, Long>> keys = new TreeMap<>();

        boolean isTaken() {
            return random.nextInt(ONE_IN) == 0;
        }

        void released(long at, long holdNanos) {
            long second = at / Trace.SECOND;
            List<long[]> kept = holds.computeIfAbsent(second, any -> new ArrayList<>());
            int count = taken.merge(second, 1, Integer::sum);
            long[] hold = {(at - holdNanos) / Recording.SLICE_NANOS, holdNanos};
            if (kept.size() < KEPT) {
                kept.add(hold);
            } else if (random.nextInt(count) < KEPT) {
                kept.set(random.nextInt(KEPT), hold);
            }
        }

        void arrived(long at, String key) {
            if (isTaken()) {
                keys.computeIfAbsent(at / Trace.SECOND, any -> new TreeMap<>()).merge(key, (long) ONE_IN, Long::sum);
            }
        }

        private List<List<KeyShare>> shares(int seconds) {
            List<List<KeyShare>> shares = new ArrayList<>();
            for (long i = 0; i < seconds; i++) {
                shares.add(keys.getOrDefault(i, Map.of()).entrySet().stream()
                        .map(each -> new KeyShare(each.getKey(), each.getValue()))
                        .sorted(Comparator.comparingLong(KeyShare::requests).reversed())
                        .toList());
            }
            return shares;
        }

        /** The same load with these samples. */
        RecordedLoad in(RecordedLoad recorded) {
            List<long[]> sorted = holds.entrySet().stream()
                    .filter(each -> each.getKey() < recorded.admitted().length)
                    .flatMap(each -> each.getValue().stream())
                    .sorted(Comparator.comparingLong(hold -> hold[0]))
                    .toList();
            return new RecordedLoad(
                    recorded.from(),
                    recorded.sliceNanos(),
                    recorded.arrivals(),
                    sorted.stream().mapToInt(each -> (int) each[0]).toArray(),
                    sorted.stream().mapToLong(each -> each[1]).toArray(),
                    keys.isEmpty() ? List.of() : shares(recorded.admitted().length),
                    recorded.limits(),
                    recorded.inFlight(),
                    recorded.admitted(),
                    recorded.refused(),
                    recorded.isHeavy());
        }
    }

    private LiveLimit(LimitPlan plan) {
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
        LiveLimit live = new LiveLimit(plan);
        live.run(trace);
        return live.refused;
    }

    /** What a recorder has of the requests under this plan, but with a seed for what it samples by chance. */
    static RecordedLoad recorded(LimitPlan plan, Trace trace) {
        LiveLimit live = new LiveLimit(plan);
        return live.sample.in(live.recorded(trace));
    }

    /** What a recorder has of the requests under this plan; it knows no keys, because no registry has the limit. */
    static RecordedLoad recordedByChance(LimitPlan plan, Trace trace) {
        return new LiveLimit(plan).recorded(trace);
    }

    private RecordedLoad recorded(Trace trace) {
        Registration unused = recording.onLimiter(LimiterView.of(limiter));
        if (queue != null) {
            Registration alsoUnused = recording.onQueue(QueueView.of(queue));
        }
        for (long at = Recording.SLICE_NANOS; at <= trace.spanNanos(); at += Recording.SLICE_NANOS) {
            time.alarm(at, recording::tick);
        }
        run(trace);
        return Objects.requireNonNull(recording.load(limiter.name()));
    }

    private void run(Trace trace) {
        for (Arrival each : trace.arrivals()) {
            time.advance(each.at() + 1 - time.read());
            String key = each.key();
            if (key != null) {
                sample.arrived(each.at(), key);
            }
            Request request = request(key);
            if (queue == null) {
                decided(limiter.tryAcquire(request), each);
            } else {
                queue.acquireAsync(request).thenAccept(decision -> decided(decision, each));
            }
        }
        time.advance(trace.spanNanos() + 1 - time.read());
        time.advance(trace.spanNanos());
    }

    private Request request(@Nullable String key) {
        if (key == null) {
            return Request.ONE;
        }
        return Request.forKey(dimensions.isEmpty() ? key : Dimensions.of(dimensions.get(0), key));
    }

    private void decided(Decision decision, Arrival arrival) {
        if (decision instanceof Permit permit) {
            boolean isTaken = limiter.holds() && sample.isTaken();
            time.alarm(arrival.holdNanos(), () -> {
                if (isTaken) {
                    sample.released(time.read(), arrival.holdNanos());
                }
                permit.release(Outcome.SUCCESS);
            });
        } else {
            refused++;
        }
    }
}
