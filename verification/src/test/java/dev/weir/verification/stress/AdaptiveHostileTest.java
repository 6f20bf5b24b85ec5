package dev.weir.verification.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.Bounds;
import dev.weir.adaptive.ControlSnapshot;
import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Signal;
import dev.weir.adaptive.Window;
import dev.weir.adaptive.controller.Crest;
import dev.weir.adaptive.controller.LoadGuard;
import dev.weir.adaptive.controller.Min;
import dev.weir.adaptive.signal.Sensors;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.LimiterObserver;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.Seed;
import dev.weir.testkit.Stress;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A control under bad samples, a clock that jumps, sensors and strangers that fail, and a day of nothing: A1 to A11 hold, and
 * the capacity counted from outside is the limit in force. 200,000 bad samples and more to a controller.
 */
@Tag("proof")
class AdaptiveHostileTest {
    private static final int BAD_SAMPLES = 20_000;
    private static final int GOOD_READINGS = 30;
    private static final long MS = 1_000_000;
    private static final long HOUR = 3_600_000 * MS;
    private static final Bounds BOUNDS = new Bounds(2, 64, 2);

    private final VirtualTime time = new VirtualTime(Long.MAX_VALUE - HOUR);
    private final ManagedLimiter limiter =
            Limiters.builder("hostile", new Semaphore(16)).ticker(time).build();
    private final List<String> wrong = new ArrayList<>();
    private long changes;

    private interface Rule {
        long next(Window window, long limit);
    }

    /** Judges every slice by a rule. */
    private record Ruled(Rule rule) implements Controller {
        @Override
        public boolean enough(Window window) {
            return true;
        }

        @Override
        public long next(Window window, long limit) {
            return rule.next(window, limit);
        }

        @Override
        public String why() {
            return "ruled: by the test";
        }
    }

    /** Hears each change: within the bounds, by no more than the step, and with a reason. */
    private final class Witness implements LimiterObserver {
        @Override
        public void onLimitChanged(long from, long to, String why) {
            changes++;
            boolean within = to >= BOUNDS.min() && to <= BOUNDS.max();
            boolean stepped = to <= Math.max(from * BOUNDS.step(), from + 1) && to >= Math.floor(from / BOUNDS.step());
            if (wrong.size() < 5 && (!within || !stepped || why.indexOf(':') < 1)) {
                wrong.add(from + " to " + to + ", " + why);
            }
        }
    }

    private static final class Stranger implements LimiterObserver {
        /* Without a stack, for that would be most of the work of a million samples. */
        private static final class MadeUp extends RuntimeException {
            private static final long serialVersionUID = 1;

            MadeUp() {
                super("made up", null, false, false);
            }
        }

        @Override
        public boolean timesNext() {
            throw new MadeUp();
        }

        @Override
        public void onAdmitted(Request request) {
            throw new MadeUp();
        }

        @Override
        public void onReleased(Request request, Outcome outcome, long heldNanos) {
            throw new MadeUp();
        }

        @Override
        public void onLimitChanged(long from, long to, String why) {
            throw new MadeUp();
        }
    }

    private AdaptiveControl.Builder control(Controller controller) {
        limiter.observe(new Stranger());
        limiter.observe(new Witness());
        return AdaptiveControl.builder(limiter, controller)
                .bounds(BOUNDS)
                .ticker(time)
                .onAdjustment(change -> {
                    throw new IllegalStateException("made up");
                });
    }

    private void assertWhole(AdaptiveControl control) {
        assertEquals(List.of(), wrong);
        ControlSnapshot now = control.snapshot();
        assertTrue(now.limit() >= BOUNDS.min() && now.limit() <= BOUNDS.max(), now::toString);
        assertEquals(limiter.dial().limit(), now.limit());
        control.close();
        assertEquals(0, limiter.inFlight());
        Oracle.assertCapacity(now.limit(), limiter);
    }

    private static Stream<Supplier<Controller>> controllers() {
        return Stream.of(
                Crest::new,
                () -> Min.of(new Crest(), LoadGuard.builder("cpu").safe(8).build()),
                () -> new Ruled((window, limit) -> window.completed() % 2 == 0 ? Long.MAX_VALUE : Long.MIN_VALUE),
                () -> new Ruled((window, limit) -> -5),
                () -> new Ruled((window, limit) -> limit == 16 ? 17 : 0),
                () -> new Ruled((window, limit) -> {
                    throw new IllegalStateException("made up");
                }));
    }

    @ParameterizedTest
    @MethodSource("controllers")
    void A1_A2_A3_A7_A11_badSamplesAndAClockThatJumps(Supplier<Controller> controller) {
        AdaptiveControl control = control(controller.get())
                .signals(() -> Map.of("cpu", changes % 3 == 0 ? Double.NaN : 0.9))
                .build();
        SplittableRandom random = new SplittableRandom(1);
        List<Permit> out = new ArrayList<>();
        int least = controller.get() instanceof Ruled ? 1 : 10;
        long samples = (long) BAD_SAMPLES
                * Stress.seconds(0.5, 10, 100)
                        .repeat(least, round -> IntStream.range(0, BAD_SAMPLES).forEach(sample -> bad(out, random)));
        out.forEach(permit -> permit.release(Outcome.SUCCESS));
        assertTrue(
                control.snapshot().unusable() > samples / 1000,
                () -> control.snapshot().toString());
        assertWhole(control);
    }

    private void bad(List<Permit> out, SplittableRandom random) {
        if (limiter.tryAcquire() instanceof Permit permit) {
            out.add(permit);
        }
        pass(random);
        while (out.size() > random.nextInt(40)) {
            assertTrue(out.remove(random.nextInt(out.size())).release(Seed.oneOf(random, Outcome.values())));
        }
    }

    private void pass(SplittableRandom random) {
        switch (random.nextInt(64)) {
            case 0 -> time.jumpTo(time.read() - random.nextLong(HOUR));
            case 1 -> time.jumpTo(time.read() + random.nextLong(2 * HOUR));
            case 2, 3 -> time.jumpTo(time.read() - random.nextLong(20 * MS));
            case 4, 5, 6, 7, 8, 9, 10, 11 -> time.advance(random.nextLong(20 * MS));
            default -> time.advance(random.nextInt(3) == 0 ? random.nextLong(MS) : 0);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {HOUR, -HOUR})
    void A6_aJumpOfTheClockIsAtMostOneUpdate(long jump) {
        AdaptiveControl control = control(new Crest()).build();
        for (int milli = 0; milli < 5000; milli++) {
            serve(MS);
        }
        long before = control.snapshot().updates();
        long limit = control.snapshot().limit();
        Permit held = (Permit) limiter.tryAcquire();
        time.jumpTo(time.read() + jump);
        control.tick();
        held.release(Outcome.SUCCESS);
        control.tick();
        assertTrue(control.snapshot().updates() <= before + 1);
        long after = control.snapshot().limit();
        assertTrue(after <= 2 * limit && after >= limit / 2, () -> limit + " to " + after);
        for (int milli = 0; milli < 5000; milli++) {
            serve(MS);
        }
        assertTrue(control.snapshot().updates() > before + 5, "goes on");
        assertWhole(control);
    }

    private void serve(long nanos) {
        Permit permit = (Permit) limiter.tryAcquire();
        time.advance(nanos);
        permit.release(Outcome.SUCCESS);
    }

    @ParameterizedTest
    @MethodSource("controllers")
    void A4_aDayOfNothingMovesNothing(Supplier<Controller> controller) {
        AdaptiveControl control = control(controller.get()).build();
        long limit = limiter.dial().limit();
        for (int look = 0; look < 24 * 60 * 60 * 10; look++) {
            time.advance(100 * MS);
            control.tick();
        }
        assertEquals(0, control.snapshot().updates());
        assertEquals(limit, control.snapshot().limit());
        assertEquals(0, changes);
        assertWhole(control);
    }

    private static Stream<Supplier<Double>> broken() {
        return Stream.of(
                () -> {
                    throw new IllegalStateException("made up");
                },
                () -> 0.5,
                () -> Double.NaN);
    }

    @ParameterizedTest
    @MethodSource("broken")
    void A5_sensorsThatThrowOrStickLeaveTheSafeLimit(Supplier<Double> broken) {
        assertSafe(broken, Duration.ofDays(1));
    }

    @Test
    void A5_aSensorThatHangsLeavesTheSafeLimit() {
        CountDownLatch never = new CountDownLatch(1);
        assertSafe(() -> waited(never), Duration.ofMillis(Stress.of(50, 50, 200)));
        never.countDown();
    }

    /** Time is virtual, the timeout is not: a machine may be so slow that also a good reading hangs for a while. */
    private void assertSafe(Supplier<Double> broken, Duration timeout) {
        ManagedLimiter its =
                Limiters.builder("sensed", new Semaphore(60)).ticker(time).build();
        AtomicInteger reads = new AtomicInteger();
        try (Sensors sensors = Sensors.builder()
                        .watchMoving(signal(() -> {
                            int read = reads.incrementAndGet();
                            return read <= GOOD_READINGS ? 0.75 + read * 1e-6 : broken.get();
                        }))
                        .ticker(time)
                        .timeout(timeout)
                        .build();
                AdaptiveControl control = AdaptiveControl.builder(
                                its, LoadGuard.builder("cpu").safe(20).build())
                        .ticker(time)
                        .signals(sensors::readings)
                        .build()) {
            sensors.onRound(control::tick);
            for (int rounds = 0; rounds < 170; rounds += reads.get() > GOOD_READINGS ? 1 : 0) {
                Permit permit = (Permit) its.tryAcquire();
                time.advance(500 * MS);
                sensors.round();
                permit.release(Outcome.SUCCESS);
                long limit = its.dial().limit();
                boolean wasGood =
                        reads.get() <= GOOD_READINGS && sensors.health().get(0).failures() == 0;
                assertTrue(!wasGood || limit == 60, () -> "a good reading moved it to " + limit);
            }
            assertEquals(20, its.dial().limit());
            assertEquals(0, control.snapshot().failures());
            Oracle.assertCapacity(20, its);
        }
    }

    private static double waited(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Double.NaN;
    }

    private static Signal signal(Supplier<Double> value) {
        return new Signal() {
            @Override
            public String name() {
                return "cpu";
            }

            @Override
            public double read() {
                return value.get();
            }
        };
    }

    @Test
    void A9_A10_failuresAreNoLatenciesAndOlderSamplesAreApart() {
        List<Window> seen = new ArrayList<>();
        AdaptiveControl control = control(new Ruled((window, limit) -> {
                    seen.add(window);
                    return seen.size() % 2 == 0 ? 32 : 16;
                }))
                .build();
        SplittableRandom random = new SplittableRandom(1);
        for (int call = 0; call < 10_000; call++) {
            Permit quick = (Permit) limiter.tryAcquire();
            Permit slow = (Permit) limiter.tryAcquire();
            time.advance(1 + random.nextInt(1000));
            quick.release(Seed.oneOf(random, Outcome.DROPPED, Outcome.IGNORED, Outcome.CANCELLED));
            time.advance(MS);
            slow.release(Outcome.SUCCESS);
        }
        assertTrue(seen.size() >= 900);
        assertTrue(seen.stream()
                .allMatch(window ->
                        window.latencies().count() == 0 || window.latencies().min() >= MS));
        assertEquals(10_000, sum(seen, Window::completed), 20);
        assertEquals(10_000, sum(seen, window -> window.dropped() + window.ignored()), 20);
        List<Permit> before = new ArrayList<>();
        for (int permit = 0; permit < 8; permit++) {
            before.add((Permit) limiter.tryAcquire());
        }
        time.advance(1);
        limiter.dial().setLimit(24, "test: by hand");
        time.advance(50 * MS);
        before.forEach(permit -> permit.release(Outcome.SUCCESS));
        time.advance(50 * MS);
        control.tick();
        List<Window> after = seen.subList(seen.size() - 2, seen.size());
        assertTrue(after.stream().anyMatch(window -> window.older().min() == 50 * MS + 1), after::toString);
        assertTrue(after.stream().allMatch(window -> window.latencies().count() == 0), after::toString);
        assertWhole(control);
    }

    private static long sum(List<Window> windows, ToLongFunction<Window> figure) {
        return windows.stream().mapToLong(figure).sum();
    }

    @Test
    void oneHandOnlyAndNoneAfterASwapOrAnEnd() {
        long[] wish = {32};
        AdaptiveControl control = control(new Ruled((window, limit) -> wish[0])).build();
        assertThrows(IllegalStateException.class, () -> control(new Crest()).build());
        limiter.reconfigure(new Counter(7));
        for (int call = 0; call < 100; call++) {
            serve(MS);
        }
        assertEquals(7, limiter.snapshot().limit());
        control.close();
        Oracle.assertCapacity(7, limiter);
        AdaptiveControl next = control(new Ruled((window, limit) -> wish[0])).build();
        Permit held = (Permit) limiter.tryAcquire();
        for (int call = 0; call < 100; call++) {
            serve(MS);
        }
        assertEquals(32, limiter.snapshot().limit());
        next.close();
        wish[0] = 4;
        for (int call = 0; call < 100; call++) {
            serve(MS);
        }
        held.release(Outcome.SUCCESS);
        next.tick();
        next.bounds(Bounds.of(1, 2));
        assertEquals(32, limiter.snapshot().limit(), "closed, it turns nothing");
        Oracle.assertCapacity(32, limiter);
        AdaptiveControl last = control(new Ruled((window, limit) -> wish[0])).build();
        Permit home = (Permit) limiter.tryAcquire();
        limiter.close();
        time.advance(100 * MS);
        home.release(Outcome.SUCCESS);
        last.tick();
        last.close();
        assertEquals(0, limiter.inFlight());
        assertInstanceOf(Rejection.class, limiter.tryAcquire());
    }
}
