package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Permit.Quota;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Gcra;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.TokenBucket;
import dev.weir.keyed.Keyed;
import dev.weir.spi.StrategySpec;
import dev.weir.store.Mode;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.WhenAway;
import dev.weir.testkit.Stress;
import dev.weir.testkit.VirtualTime;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What permits tell of their quota, for random limits that real scripts count in virtual time. */
@Needs(Server.REDIS)
class QuotaTest {
    private static final int HISTORIES = 20;
    private static final int STEPS = 25;
    private static final long START = 1_767_225_600_000_000L;

    private final VirtualTime time = new VirtualTime();
    private final VirtualRedis server = new VirtualRedis();

    @AfterEach
    void stop() {
        server.close();
    }

    private StoreRateLimiter limiter(StrategySpec limit, Mode mode) {
        String id = UUID.randomUUID().toString();
        return StoreRateLimiter.builder(
                        "quota", limit, spec -> new VirtualRate(server, RedisRate.of(spec), id), WhenAway.closed())
                .mode(mode)
                .ticker(time)
                .alarm(time)
                .executor(Runnable::run)
                .build();
    }

    private static StrategySpec rate(SplittableRandom random) {
        long permits = 1 + random.nextInt(20);
        Duration period = Duration.ofMillis(1 + random.nextInt(5_000));
        return switch (random.nextInt(3)) {
            case 0 -> TokenBucket.of(permits, period).withCapacity(1 + random.nextInt(40));
            case 1 -> new LeakyBucket(permits, period, random.nextInt(20));
            default -> new Gcra(permits, period, period.multipliedBy(1 + random.nextInt(2)));
        };
    }

    private static @Nullable Permit ask(StoreRateLimiter limiter, long permits) {
        Request request = new Request(permits, 0, "k", Request.NO_DEADLINE);
        return limiter.acquireAsync(request, Duration.ZERO).join() instanceof Permit permit ? permit : null;
    }

    private static StrategySpec all(SplittableRandom random, List<StrategySpec> rates) {
        StrategySpec all = rates.size() == 1 ? rates.get(0) : new AllOf(rates);
        return random.nextBoolean() || rates.size() > 1 ? all : Keyed.of(all, 10);
    }

    private void forAll(Mode mode, Check check) {
        server.time(() -> START + time.read() / 1_000);
        Stress.seconds(0.5, 10, 100).forAll(HISTORIES, random -> {
            List<StrategySpec> rates = new ArrayList<>();
            for (int i = 1 + random.nextInt(4); i > 0; i--) {
                rates.add(rate(random));
            }
            List<StoreRateLimiter> each =
                    rates.stream().map(rate -> limiter(rate, Mode.exact())).toList();
            StoreRateLimiter limiter = limiter(all(random, rates), mode);
            for (int step = 0; step < STEPS; step++) {
                time.advance(Duration.ofMillis(random.nextInt(400)));
                long permits = 1 + random.nextInt(3);
                Permit permit = ask(limiter, permits);
                if (permit != null) {
                    check.that(permit, each, permits);
                }
            }
            limiter.close();
        });
    }

    /** Of a permit, and of limiters by each of the rates alone. */
    private interface Check {
        void that(Permit permit, List<StoreRateLimiter> each, long permits);
    }

    @Test
    @Tag("property")
    @Tag("proof")
    void D15_allFiguresAreThoseOfTheRateThatLeavesTheFewest() {
        forAll(Mode.exact(), (permit, each, permits) -> {
            Quota least = null;
            List<Quota> told = new ArrayList<>();
            for (StoreRateLimiter limiter : each) {
                Permit alone = ask(limiter, permits);
                assertTrue(alone != null && alone.quota() != null, "the rate alone refused what all granted");
                told.add(alone.quota());
            }
            assertTrue(told.contains(permit.quota()), () -> permit.quota() + " of " + told);
            for (Quota one : told) {
                least = least == null || one.remaining() < least.remaining() ? one : least;
            }
            assertEquals(
                    Objects.requireNonNull(least).remaining(), permit.quota().remaining(), told::toString);
        });
    }

    @Test
    @Tag("property")
    @Tag("proof")
    void D15_inVerdictModeNoMoreRemainsThanTheBurst() {
        AtomicLong told = new AtomicLong();
        forAll(Mode.verdict(), (permit, each, permits) -> {
            Quota quota = permit.quota();
            if (quota == null) {
                return;
            }
            assertTrue(
                    each.stream()
                            .anyMatch(one ->
                                    limit(one.spec()) == quota.limit() && quota.remaining() <= burst(one.spec())),
                    () -> quota + " of " + each);
            told.getAndIncrement();
        });
        assertTrue(told.get() > HISTORIES, told::toString);
    }

    private static long limit(StrategySpec spec) {
        return spec.create(new VirtualTime()).limit();
    }

    private static long burst(StrategySpec spec) {
        return Objects.requireNonNull(spec.create(new VirtualTime()).account()).burst();
    }

    @Test
    void D15_aPermitThatIsGrantedByAnAnswerTellsWhatItLeaves() {
        server.time(() -> START + time.read() / 1_000);
        StoreRateLimiter limiter = limiter(TokenBucket.of(10, Duration.ofHours(1)), Mode.verdict());
        assertEquals(9, remaining(ask(limiter, 1)));
        server.delayAnswers(true);
        assertEquals(8, remaining(ask(limiter, 1)));
        assertEquals(6, remaining(ask(limiter, 2)));
        assertEquals(1, remaining(ask(limiter, 5)));
        server.delayAnswers(false);
        server.answer();
        assertEquals(0, remaining(ask(limiter, 1)));
    }

    private static long remaining(@Nullable Permit permit) {
        Quota quota = permit == null ? null : permit.quota();
        return quota == null ? -1 : quota.remaining();
    }

    @Test
    void D15_inVerdictModeAnAnswerThatRefusedIsNoQuota() {
        server.time(() -> START + time.read() / 1_000);
        Duration hour = Duration.ofHours(1);
        StrategySpec slow = TokenBucket.of(5, Duration.ofDays(9)).withCapacity(8);
        StoreRateLimiter limiter = limiter(AllOf.of(TokenBucket.of(9, hour).withCapacity(7), slow), Mode.verdict());
        assertEquals(3, remaining(ask(limiter, 4)));
        time.advance(Duration.ofMillis(90));
        assertNull(ask(limiter, 5), "the slow one would have to wait for longer");
        Permit smaller = ask(limiter, 1);
        assertTrue(smaller != null);
        assertNull(smaller.quota());
    }

    @Test
    void D15_aBatchedPermitTellsNoQuota() {
        server.time(() -> START + time.read() / 1_000);
        StoreRateLimiter limiter = limiter(TokenBucket.of(10, Duration.ofHours(1)), Mode.batched(4));
        for (int i = 0; i < 10; i++) {
            Permit permit = ask(limiter, 1);
            assertTrue(permit != null && permit.quota() == null, "a batch was counted, not this permit");
        }
    }
}
