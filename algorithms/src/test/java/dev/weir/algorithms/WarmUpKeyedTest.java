package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.spi.RampCurve;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A warm-up around a limit by key is the same as a limit by key that warms up. */
class WarmUpKeyedTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration TEN = Duration.ofSeconds(10);
    private static final long MILLI = 1_000_000;

    private final VirtualTime time = new VirtualTime();

    private static StrategySpec warm(StrategySpec perKey, boolean inside) {
        return inside ? Keyed.of(linear(perKey), 100) : linear(Keyed.of(perKey, 100));
    }

    private static WarmUp linear(StrategySpec target) {
        return new WarmUp(target, TEN, 10, RampCurve.LINEAR, null);
    }

    private ManagedLimiter limiter(StrategySpec spec) {
        return Limiters.builder("by key", spec).ticker(time).build();
    }

    private static Request of(Object key) {
        return Request.forKey(key);
    }

    private static List<Permit> take(ManagedLimiter limiter, Object key) {
        List<Permit> taken = new ArrayList<>();
        while (limiter.tryAcquire(of(key)) instanceof Permit permit) {
            taken.add(permit);
        }
        return taken;
    }

    private static Permit permit(ManagedLimiter limiter, Object key) {
        return assertInstanceOf(Permit.class, limiter.tryAcquire(of(key)));
    }

    @Test
    void aroundATableIsTheSameAsInsideIt() {
        assertEquals(
                warm(new Semaphore(5), true).parts(),
                warm(new Semaphore(5), false).parts());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void allKeysWarmUpTogetherSinceTheTableWasCreated(boolean inside) {
        ManagedLimiter limiter = limiter(warm(TokenBucket.of(100, SECOND), inside));
        assertEquals(10, take(limiter, "a").size());
        assertEquals(10, limiter.snapshot().limit());
        time.advance(Duration.ofSeconds(5));
        assertEquals(55, limiter.snapshot().limit(), "the limit of each key");
        assertEquals(55, take(limiter, "b").size(), "a key that comes later is not colder");
        time.advance(Duration.ofSeconds(5));
        assertEquals(100, limiter.snapshot().limit());
        assertEquals(100, take(limiter, "c").size());
        limiter.dial().setLimit(50);
        assertEquals(50, limiter.snapshot().limit());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void inFlightIsByKey(boolean inside) {
        ManagedLimiter limiter = limiter(warm(new Semaphore(20), inside));
        for (String key : List.of("a", "b", "c")) {
            assertEquals(2, take(limiter, key).size());
        }
        Rejection refused = assertInstanceOf(Rejection.class, limiter.tryAcquire(of("a")));
        // 2 + 18 s/256 > 2 at step 1: for key a, not for the sum over all keys.
        assertEquals(39_062_500, refused.retryAfterNanos());
        assertEquals(Reason.CONCURRENCY, refused.reason());
        assertEquals(2, refused.limit());
        time.advance(39_062_500);
        assertInstanceOf(Permit.class, limiter.tryAcquire(of("a")));
        assertEquals(7, limiter.snapshot().inFlight());
    }

    /** Neither a rejection, nor a step of the ramp, nor a request without a key creates a strategy. */
    @Test
    void aRejectionCreatesNothing() {
        AtomicInteger made = new AtomicInteger();
        ManagedLimiter limiter = limiter(warm(new Counted(new Semaphore(100), made), false));
        limiter.tryAcquire(of("a"));
        limiter.tryAcquire(of("b"));
        int before = made.get();
        for (int step = 0; step < 256; step++) {
            assertEquals(
                    Reason.KEY_MISSING,
                    assertInstanceOf(Rejection.class, limiter.tryAcquire()).reason());
            limiter.tryAcquire(of("a"));
            time.advance(TEN.toNanos() / 256);
        }
        assertEquals(before, made.get());
        assertEquals(
                Reason.NEVER,
                assertInstanceOf(Rejection.class, limiter.tryAcquire(new Request(101, 0, "a", Request.NO_DEADLINE)))
                        .reason());
        assertEquals(before, made.get(), "warm: nothing to compare with");
    }

    private record Counted(StrategySpec target, AtomicInteger made) implements StrategySpec {
        @Override
        public Strategy create(Ticker ticker) {
            made.incrementAndGet();
            return target.create(ticker);
        }
    }

    @Test
    void W5_aReloadKeepsTheProgressForEveryKey() {
        ManagedLimiter limiter = limiter(warm(TokenBucket.of(100, SECOND), false));
        assertEquals(10, take(limiter, "a").size());
        time.advance(Duration.ofSeconds(5));
        assertEquals(55, take(limiter, "a").size());
        limiter.reconfigure(warm(TokenBucket.of(200, SECOND).withCapacity(100), true));
        assertEquals(110, limiter.snapshot().limit());
        assertEquals(0, take(limiter, "a").size());
        assertEquals(55, take(limiter, "b").size());
        limiter.reconfigure(Keyed.of(TokenBucket.of(200, SECOND).withCapacity(100), 100));
        assertEquals(200, limiter.snapshot().limit());
        assertEquals(45, take(limiter, "a").size(), "100 less 55");
        limiter.reconfigure(warm(TokenBucket.of(100, SECOND), true));
        assertEquals(100, limiter.snapshot().limit(), "warm stays warm");
        assertEquals(0, take(limiter, "a").size());
    }

    @Test
    void W1_permitsOfEachKeySurviveWrappingAndUnwrapping() {
        ManagedLimiter limiter = limiter(Keyed.of(new Semaphore(10), 100));
        List<Permit> out = take(limiter, "a");
        limiter.reconfigure(warm(new Semaphore(12), false));
        List<Permit> more = take(limiter, "a");
        assertEquals(2, more.size(), "warm, and 10 in flight");
        limiter.reconfigure(Keyed.of(new Semaphore(10), 100));
        assertEquals(0, take(limiter, "a").size());
        out.forEach(Permit::close);
        assertEquals(8, take(limiter, "a").size());
    }

    @Test
    void itCoolsWhenNoKeyIsAskedOrHeld() {
        StrategySpec perKey = new Semaphore(100);
        ManagedLimiter limiter = limiter(new WarmUp(Keyed.of(perKey, 100), TEN, 10, RampCurve.LINEAR, SECOND));
        for (int i = 0; i < 200; i++) {
            permit(limiter, i % 2).close();
            time.advance(100 * MILLI);
        }
        Permit held = permit(limiter, "held");
        time.advance(TEN);
        permit(limiter, 1).close();
        assertEquals(100, limiter.snapshot().limit(), "work by another key is not idleness");
        held.close();
        time.advance(SECOND);
        permit(limiter, 1).close();
        assertEquals(10, limiter.snapshot().limit());
        assertEquals(10, take(limiter, 0).size(), "of every key");
    }

    /** Each key in turn is evicted by others: it neither starts again nor is granted twice. */
    @Test
    void K1_anEvictedKeyReturnsNeitherColdNorFull() {
        ManagedLimiter limiter = limiter(linear(new Keyed(TokenBucket.of(100, TEN), 4, 1 << 16, null, List.of())));
        long granted = 0;
        for (int i = 0; i < 1_000; i++) {
            granted += take(limiter, "a").size();
            for (int other = 0; other < 20; other++) {
                take(limiter, i * 20 + other);
            }
            time.advance(MILLI);
        }
        // 10 at once, 9 by the growth of the capacity in a second, and 1.45 by the rate of 1 to 1.9 per second.
        assertTrue(granted <= 10 + 9 + 3, granted + " granted");
        time.advance(TEN);
        long warm = take(limiter, "a").size();
        assertTrue(warm >= 95, warm + " when warm");
    }

    @Test
    void ofSeveralByKeyTheFirstWarmsUp() {
        ManagedLimiter limiter =
                limiter(linear(Keyed.of(AllOf.of(new Semaphore(100), TokenBucket.of(50, SECOND)), 100)));
        assertEquals(10, take(limiter, "a").size());
        time.advance(Duration.ofSeconds(5));
        assertEquals(50, take(limiter, "b").size());
        limiter.reconfigure(linear(Keyed.of(AllOf.of(new Semaphore(200), TokenBucket.of(500, SECOND)), 100)));
        assertEquals(110, limiter.snapshot().limit());
        assertEquals(110, take(limiter, "c").size());
    }
}
