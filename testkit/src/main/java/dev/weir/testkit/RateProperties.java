package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Account;
import dev.weir.spi.Strategy;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import dev.weir.testkit.Oracle.Grant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The checks of {@link StrategyContract} of a rate. */
final class RateProperties {
    /** Readings a clock may start at, the last ones about to wrap. */
    private static final long[] ORIGINS = {0, -1, 1, Long.MAX_VALUE - 5, Long.MIN_VALUE, Long.MAX_VALUE - 3_000_000_000L
    };

    private final TestedStrategy tested;
    private final Supplier<Request> one;
    private final long period;

    RateProperties(TestedStrategy tested) {
        this.tested = tested;
        this.one = () -> tested.request(1);
        this.period = tested.period();
    }

    void noWindowHoldsMoreThanPromised() {
        Seed.forAll(60, random -> {
            long limit = random.nextLong(1, 30);
            VirtualTime time = new VirtualTime(ORIGINS[random.nextInt(ORIGINS.length)]);
            ManagedLimiter limiter = tested.limiter(limit, time);
            List<Grant> grants = new ArrayList<>();
            long start = time.read();
            for (int step = 0; step < 2_000; step++) {
                long permits = tested.weighs() && random.nextInt(4) == 0 ? random.nextLong(1, limit + 1) : 1;
                if (limiter.tryAcquire(tested.request(permits)) instanceof Permit) {
                    grants.add(new Grant(time.read() - start, permits));
                }
                time.advance(pause(random, limit));
            }
            for (long window : new long[] {1, period / limit, period - 1, period, period + 1, 3 * period}) {
                Oracle.assertWindow(grants, Math.max(1, window), tested.maxWithin(Math.max(1, window), limit));
            }
        });
    }

    private long pause(SplittableRandom random, long limit) {
        return switch (random.nextInt(6)) {
            case 0 -> 1;
            case 1 -> period / limit;
            case 2 -> random.nextLong(period);
            case 3 -> random.nextLong(2 * period / limit + 1);
            default -> 0;
        };
    }

    void theWaitIsExact() {
        Seed.forAll(60, random -> {
            long limit = random.nextLong(1, 30);
            VirtualTime time = new VirtualTime(ORIGINS[random.nextInt(ORIGINS.length)]);
            ManagedLimiter limiter = tested.limiter(limit, time);
            for (int step = 0; step < 200; step++) {
                if (limiter.tryAcquire(one.get()) instanceof Rejection rejection) {
                    assertEquals(Rejection.Reason.RATE, rejection.reason());
                    assertTrue(rejection.retryAfterNanos() > 0, "a rate knows when");
                    time.advance(rejection.retryAfterNanos() - 1);
                    assertInstanceOf(Rejection.class, limiter.tryAcquire(one.get()), "one nanosecond early");
                    time.advance(1);
                    assertInstanceOf(Permit.class, limiter.tryAcquire(one.get()), "when it said");
                }
                time.advance(random.nextLong(period / limit + 1));
            }
        });
    }

    void threadsAtOneInstantGetWhatIsThere() throws InterruptedException {
        VirtualTime time = new VirtualTime();
        ManagedLimiter alone = tested.limiter(10, time);
        long expected = Oracle.takeAll(1_000, alone, one).size();
        ManagedLimiter limiter = tested.limiter(10, time);
        AtomicLong granted = new AtomicLong();
        Parallel.run(4, () -> {
            for (int i = 0; i < 1_000; i++) {
                if (limiter.tryAcquire(one.get()) instanceof Permit) {
                    granted.incrementAndGet();
                }
            }
        });
        assertEquals(expected, granted.get());
    }

    /**
     * Nothing refills at one instant, so all that was granted there is used, by one of the parts of a combination. If each key has
     * its own rate, there is no sum.
     */
    void whatWasGrantedIsUsed() {
        Seed.forAll(60, random -> {
            long limit = random.nextLong(1, 30);
            VirtualTime time = new VirtualTime(ORIGINS[random.nextInt(ORIGINS.length)]);
            PartStrategy strategy = Parts.create(tested.spec(limit), time);
            boolean byKey =
                    strategy.members().get(0).account() == null && one.get().key() != null;
            for (int step = 0; step < 20 && !byKey; step++) {
                long granted = 0;
                while (granted < 1_000 && strategy.acquire(one.get()) == Strategy.GRANTED) {
                    granted++;
                }
                long used = strategy.members().stream()
                        .map(PartStrategy::account)
                        .flatMap(Stream::ofNullable)
                        .mapToLong(Account::used)
                        .max()
                        .orElseThrow(() -> new AssertionError("a rate must answer account()"));
                assertTrue(used >= granted, used + " used, of " + granted + " granted now");
                time.advance(pause(random, limit));
            }
        });
    }

    void changesAtOneInstantGrantNothing() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = tested.limiter(10, time);
        long granted = 0;
        for (int change = 0; change < 1_000; change++) {
            granted += Oracle.takeAll(100, limiter, one).size();
            limiter.reconfigure(tested.spec(change % 2 == 0 ? 11 : 10));
        }
        long max = granted;
        assertTrue(
                max <= Math.max(tested.maxWithin(1, 10), tested.maxWithin(1, 11)),
                () -> max + " granted at one instant");
    }
}
