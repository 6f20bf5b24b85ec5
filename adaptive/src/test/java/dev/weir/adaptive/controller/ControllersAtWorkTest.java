package dev.weir.adaptive.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.Bounds;
import dev.weir.adaptive.ControlSnapshot;
import dev.weir.adaptive.Controller;
import dev.weir.adaptive.LimitAdvice;
import dev.weir.adaptive.contract.Windows;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.testkit.VirtualTime;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Controllers at a real limiter: eight workers of 10 ms each, and five times as much demand as they can bear. */
class ControllersAtWorkTest {
    private static final int WORKERS = 8;
    private static final long MS = Windows.MS;

    private final VirtualTime time = new VirtualTime(Long.MAX_VALUE - 1000 * MS);
    private final ManagedLimiter limiter =
            Limiters.builder("service", new Semaphore(20)).ticker(time).build();
    private final PriorityQueue<Long> free = new PriorityQueue<>();
    private long passed;

    /** Demand that comes evenly, so many in 40 ms; the workers bear 32. */
    private void run(int millis, int demand) {
        for (int milli = 0; milli < millis; milli++) {
            time.advance(MS);
            passed += MS;
            int arrivals = (milli + 1) * demand / 40 - milli * demand / 40;
            for (int arrival = 0; arrival < arrivals; arrival++) {
                if (limiter.tryAcquire() instanceof Permit permit) {
                    serve(permit);
                }
            }
        }
    }

    private void serve(Permit permit) {
        long start = free.size() < WORKERS ? passed : Math.max(passed, free.remove());
        long end = start + 10 * MS;
        free.add(end);
        time.alarm(end - passed, () -> permit.release(Outcome.SUCCESS));
    }

    private static Stream<Arguments> controllers() {
        return Stream.of(
                Arguments.of(new Vegas(), 8, 30),
                Arguments.of(new EnvoyGradient(), 8, 16),
                Arguments.of(new Gradient2(), 8, 100),
                Arguments.of(Min.of(new Gradient2(), new EnvoyGradient(), new CpuSwitch()), 8, 16),
                Arguments.of(new Aimd(), 100, 100));
    }

    @ParameterizedTest
    @MethodSource("controllers")
    void theyMoveTheLimitByWhatTheMeterMeasures(Controller controller, long min, long max) {
        AdaptiveControl control = AdaptiveControl.builder(limiter, controller)
                .bounds(Bounds.of(1, 100))
                .ticker(time)
                .signals(() -> Map.of("cpu", 0.5))
                .build();
        run(10_000, 160);
        ControlSnapshot now = control.snapshot();
        assertEquals(0, now.failures());
        assertTrue(now.limit() >= min && now.limit() <= max, now::toString);
    }

    @Test
    void inADryRunTheDefaultControllerShowsTheLimitThatItWouldSet() {
        AdaptiveControl control = AdaptiveControl.builder(limiter, new Crest())
                .bounds(Bounds.of(1, 10_000))
                .build();
        limiter.enforce(0);
        run(10_000, 16);
        long light = control.snapshot().limit();
        assertTrue(light >= 4 && light <= 60, control.snapshot()::toString);
        run(240_000, 48);
        ControlSnapshot now = control.snapshot();
        assertTrue(now.limit() >= 8 && now.limit() <= 20, now::toString); // top(8) is 13
        assertTrue(limiter.counts().passed() > 0 || now.why().contains("not enforced"), now::toString);
        assertEquals(0, now.failures());
    }

    @Test
    void adviceIsTakenFromALimiterThatStaysAsItIs() {
        LimitAdvice advice = new LimitAdvice();
        AdaptiveControl control =
                AdaptiveControl.builder(limiter, advice).ticker(time).build();
        run(5000, 8);
        run(5000, 16);
        run(5000, 31);
        run(5000, 160);
        assertEquals(20, control.snapshot().limit());
        assertEquals(0, control.snapshot().failures());
        LimitAdvice.Advice given = advice.advice().orElseThrow();
        assertEquals(20, given.littles(), 2, given.because());
        assertEquals(8, given.knee(), 0.5, given.because()); // 775/s x 10 ms
        assertEquals(14, given.limit(), 1, given.because()); // 8 + 2 x 2.8
        assertTrue(given.because().contains("good confidence"), given.because());
    }
}
