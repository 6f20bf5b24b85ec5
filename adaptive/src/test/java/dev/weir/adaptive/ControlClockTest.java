package dev.weir.adaptive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The time of day that windows and adjustments have. */
class ControlClockTest {
    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");
    private static final long MS = 1_000_000;

    private final VirtualTime time = new VirtualTime();
    private final ManagedLimiter limiter =
            Limiters.builder("service", new Semaphore(20)).ticker(time).build();
    private final List<Window> seen = new ArrayList<>();

    /** Evaluates each slice, and raises the limit by one. */
    private final class Raising implements Controller {
        @Override
        public boolean enough(Window window) {
            return true;
        }

        @Override
        public long next(Window window, long limit) {
            seen.add(window);
            return limit + 1;
        }

        @Override
        public String why() {
            return "raising";
        }
    }

    private AdaptiveControl.Builder builder() {
        return AdaptiveControl.builder(limiter, new Raising()).bounds(Bounds.of(1, 100));
    }

    private void call(Duration length) {
        Permit permit = (Permit) limiter.tryAcquire();
        time.advance(length);
        permit.release(Outcome.SUCCESS);
    }

    @Test
    void withATickerOfATestItFollowsTheTicker() {
        AdaptiveControl control = builder().build();
        call(Duration.ofMillis(6400));
        call(Duration.ofMillis(100));
        assertEquals(
                List.of(6400L, 6500L), seen.stream().map(Window::epochMillis).toList());
        assertEquals(
                Instant.ofEpochSecond(6, 500 * MS + 1),
                control.snapshot().last().get(1).at());
    }

    @Test
    void withTheTickerOfTheSystemItIsThatOfTheSystem() {
        ManagedLimiter usual = Limiters.of("usual", new Semaphore(20));
        assertEquals(InstantSource.system(), AdaptiveControl.timeOfDay(usual.ticker()));
        assertNotEquals(InstantSource.system(), AdaptiveControl.timeOfDay(limiter.ticker()));
    }

    @Test
    void aClockThatIsGivenIsUsedWhateverTheTicker() {
        AdaptiveControl control =
                builder().clock(() -> NOON.plusNanos(time.read() - 1)).build();
        call(Duration.ofMillis(200));
        assertEquals(NOON.toEpochMilli() + 200, seen.get(0).epochMillis());
        assertEquals(NOON.plusMillis(200), control.snapshot().last().get(0).at());
    }

    private static InstantSource broken(String how) {
        return () -> switch (how) {
            case "null" -> null;
            case "far away" -> Instant.MAX;
            default -> throw new IllegalStateException("made up");
        };
    }

    /** In milliseconds, the end of the years is too far away for a long. */
    @ParameterizedTest
    @ValueSource(strings = {"null", "throws", "far away"})
    void aClockThatFailsIsCountedAndReachesNoCaller(String how) {
        AdaptiveControl control = builder().clock(broken(how)).build();
        call(Duration.ofMillis(100));
        assertEquals(0, seen.get(0).epochMillis());
        assertEquals(21, limiter.dial().limit());
        assertEquals(how.equals("far away") ? 1 : 2, control.snapshot().failures());
        limiter.dial().setLimit(1000);
        assertEquals(100, limiter.dial().limit(), "at once within the bounds");
        assertEquals(3, control.snapshot().last().size());
        Instant unknown = how.equals("far away") ? Instant.MAX : Instant.EPOCH;
        assertEquals(unknown, control.snapshot().last().get(0).at());
    }
}
