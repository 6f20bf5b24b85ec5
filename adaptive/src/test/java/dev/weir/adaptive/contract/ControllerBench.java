package dev.weir.adaptive.contract;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Ages;
import dev.weir.adaptive.Bounds;
import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Latencies;
import dev.weir.adaptive.Window;
import dev.weir.adaptive.Window.Builder;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.DoubleFunction;
import org.jspecify.annotations.Nullable;

/** A controller at a dial, fed as a control feeds it, before a server whose throughput and latency follow from a formula. */
public final class ControllerBench {
    public static final long WORKERS = 20;
    public static final double SERVICE_MS = 10;

    private static final long NOON = 1_767_268_800_000L;
    private static final Bounds BOUNDS = Bounds.of(1, 1000);

    public final Controller controller;
    private final DoubleFunction<Map<String, Double>> signals;
    private @Nullable Window gathered;
    private long at;
    public long limit;

    public ControllerBench(Controller controller, DoubleFunction<Map<String, Double>> signals, long limit) {
        this.controller = controller;
        this.signals = signals;
        this.limit = limit;
    }

    /** Gathers until there is enough, then evaluates. */
    public void see(Window slice) {
        Window seen = gathered == null ? slice : gathered.plus(slice);
        gathered = seen;
        if (controller.enough(seen)) {
            evaluate(seen);
        }
    }

    public void evaluate(Window window) {
        gathered = null;
        long asked = controller.next(window, limit);
        assertTrue(asked >= 1, () -> asked + " by " + controller.why());
        assertFalse(controller.why().isBlank());
        limit = BOUNDS.clamp(asked, limit);
    }

    /**
     * So many slices before a server of 20 workers that take 10 ms each, under demand without end: of {@code L} in flight
     * {@code min(L, 20)} are worked on, so that {@code min(L, 20) / 10 ms} come out, each after {@code L} over that.
     */
    public void serve(int slices) {
        for (int slice = 0; slice < slices; slice++) {
            double perMs = Math.min(limit, WORKERS) / SERVICE_MS;
            long completed = Math.round(perMs * 100);
            see(slice().signals(signals.apply(Math.min(1.0, (double) limit / WORKERS)))
                    .requests(completed, completed)
                    .ended(completed, 0, 0)
                    .latencies(Windows.same(60, limit / perMs), Latencies.NONE)
                    .build());
        }
    }

    /**
     * So many slices of 1,200 calls a second, which take 10 ms of one of the 20 workers each, and of 4.8 polls a second, which
     * hold a permit for 5 s and no worker; the share of the calls that is refused.
     */
    public double refusedBesidePolls(int slices) {
        long polls = 24;
        long[] ages = new long[(int) polls];
        for (int i = 0; i < polls; i++) {
            ages[i] = i * 5000 * Windows.MS / polls;
        }
        double refused = 0;
        for (int slice = 0; slice < slices; slice++) {
            long room = Math.max(0, limit - polls);
            long let = Math.min(120, 10 * room);
            refused += 120 - let;
            see(slice().signals(signals.apply(let / 200.0))
                    .requests(let, 120 - let)
                    .ended(let, 0, 0)
                    .inFlight(Math.min(limit, polls), Math.min(limit, polls + 18))
                    .hung(polls * 4 / 5)
                    .ages(new Ages(Latencies.of(ages), Math.min(limit, polls)))
                    .latencies(slice % 2 == 0 ? Windows.same(60, 10) : Windows.same(59, 10), Latencies.NONE)
                    .build());
        }
        return refused / (120.0 * slices);
    }

    /** So many slices of 1,200 calls a second, of which 360 are dropped at once whatever the limit is; the share refused. */
    public double refusedBesideDrops(int slices) {
        double refused = 0;
        for (int slice = 0; slice < slices; slice++) {
            long let = Math.min(120, 12 * limit);
            refused += 120 - let;
            see(slice().signals(signals.apply(let / 200.0))
                    .requests(let, 120 - let)
                    .ended(let * 7 / 10, let * 3 / 10, 0)
                    .droppedSinceLowered(let * 3 / 10)
                    .inFlight(0, Math.min(limit, 15))
                    .latencies(Windows.same(42, 10), Latencies.NONE)
                    .build());
        }
        return refused / (120.0 * slices);
    }

    /** So many slices in which everything is lost. */
    public void loseAll(int slices) {
        for (int slice = 0; slice < slices; slice++) {
            see(slice().signals(signals.apply(1))
                    .requests(limit, 1000)
                    .ended(0, limit, 0)
                    .droppedSinceLowered(limit)
                    .build());
        }
    }

    /** So many slices in which everything fails at once, for reasons of its own, and the sensors are silent. */
    public void failFast(int slices) {
        for (int slice = 0; slice < slices; slice++) {
            see(slice().requests(10_000, 1000).ended(0, 0, 10_000).build());
        }
    }

    private Builder slice() {
        at += Windows.SLICE;
        return Window.lasting(Windows.SLICE, limit)
                .at(at)
                .epochMillis(NOON + at / Windows.MS)
                .inFlight(limit, limit);
    }

    public void suffer(int windows, SplittableRandom random) {
        for (int window = 0; window < windows; window++) {
            Window hostile = Windows.hostile(random);
            if (random.nextInt(20) == 0) {
                limit = random.nextLong(1, 1000);
            }
            controller.enough(hostile);
            evaluate(hostile);
        }
    }
}
