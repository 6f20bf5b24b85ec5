package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
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
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What several instances grant together by the last answers for one key, of a limit that real scripts count in virtual time. */
@Needs(Server.REDIS)
class VerdictWindowsTest {
    private static final int LIMIT = 200;
    private static final Duration PERIOD = Duration.ofMillis(500);
    private static final long MILLI = 1_000_000;
    /** A multiple of the period, so that the first aligned window begins with the history. */
    private static final long START = 1_767_225_600_000_000L;

    private static VirtualRedis server;

    enum Kind {
        BUCKET(TokenBucket.of(LIMIT, PERIOD)),
        WINDOW(SlidingWindow.of(LIMIT, PERIOD)),
        LOG(SlidingLog.of(LIMIT, PERIOD)),
        FIXED(FixedWindow.aligned(LIMIT, PERIOD)),
        FIRST_HIT(new FirstHitQuota(LIMIT, PERIOD));

        private final StrategySpec spec;

        Kind(StrategySpec spec) {
            this.spec = spec;
        }

        /** How many windows, or refills after a burst, an interval of so many nanoseconds may see. */
        private long bursts(long nanos) {
            long begun = nanos / PERIOD.toNanos() + 1;
            return this == FIXED || this == FIRST_HIT ? begun + 1 : begun;
        }
    }

    @BeforeAll
    static void start() {
        server = new VirtualRedis();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** A grant: when, and how many permits were granted up to it. */
    private record Grant(long at, long total) {}

    /** Some instances that ask for one key as often as they can. */
    private static final class Instances {
        private final VirtualTime time = new VirtualTime(0);
        private final SplittableRandom random;
        private final List<StoreRateLimiter> limiters = new ArrayList<>();
        private final List<Caller> callers = new ArrayList<>();
        private final List<Grant> grants = new ArrayList<>();
        private long total;

        private Instances(StrategySpec spec, Script script, int instances, SplittableRandom random) {
            this.random = random;
            server.time(() -> START + time.read() / 1_000);
            String id = UUID.randomUUID().toString();
            for (int i = 0; i < instances; i++) {
                VirtualRate rate = new VirtualRate(server, script, RedisRate.of(spec), id);
                DelayedRate delayed = new DelayedRate(rate, time, random.nextLong(MILLI / 5, 8 * MILLI));
                StoreRateLimiter limiter = StoreRateLimiter.builder(
                                "verdict", spec, limit -> delayed, WhenAway.closed())
                        .mode(Mode.verdict())
                        .ticker(time)
                        .alarm(time)
                        .executor(Runnable::run)
                        .build();
                limiters.add(limiter);
                callers.add(new Caller(limiter));
                callers.add(new Caller(limiter));
            }
        }

        private void askFor(Duration duration, int largest) {
            long end = time.read() + duration.toNanos();
            while (time.read() - end < 0) {
                for (Caller caller : callers) {
                    caller.goOn(largest);
                }
                time.advance(MILLI);
            }
        }

        /** A thread that asks again as soon as it is granted permits, and a while after it was refused. */
        private final class Caller {
            private final StoreRateLimiter limiter;
            private @Nullable CompletableFuture<Decision> asked;

            private Caller(StoreRateLimiter limiter) {
                this.limiter = limiter;
            }

            private void goOn(int largest) {
                boolean refused = false;
                while ((asked == null || asked.isDone()) && !refused) {
                    long permits = 1 + random.nextInt(largest);
                    Request request = new Request(permits, 0, "k", Request.NO_DEADLINE);
                    CompletableFuture<Decision> now = limiter.acquireAsync(request, Duration.ZERO);
                    now.thenAccept(decision -> count(decision, permits));
                    refused = now.isDone() && !(now.join() instanceof Permit);
                    asked = now;
                }
            }
        }

        private void count(Decision decision, long permits) {
            if (decision instanceof Permit) {
                total += permits;
                grants.add(new Grant(time.read(), total));
            }
        }

        private void check(Kind kind) {
            long most = Long.MIN_VALUE;
            for (int from = 0; from < grants.size(); from++) {
                long before = from == 0 ? 0 : grants.get(from - 1).total;
                for (int to = from; to < grants.size(); to++) {
                    long nanos = grants.get(to).at - grants.get(from).at;
                    long excess = grants.get(to).total - before - LIMIT * kind.bursts(nanos);
                    most = Math.max(most, excess);
                }
            }
            long worst = most;
            assertTrue(
                    most <= (long) LIMIT * limiters.size(),
                    () -> kind + ": " + worst + " more than the limit in some interval, by " + limiters.size());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void threeInstancesGrantAtMostThreeBurstsMoreThanTheLimit(Kind kind) {
        Instances three = new Instances(kind.spec, Script.LIMIT, 3, new SplittableRandom(1));
        three.askFor(Duration.ofMillis(2_100), 1);
        assertTrue(three.total <= 5 * LIMIT + 3 * LIMIT, () -> kind + ": " + three.total + " of at most " + 8 * LIMIT);
        three.check(kind);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @Tag("property")
    @Tag("proof")
    void inNoIntervalIsMoreThanOneBurstForEachInstanceGrantedBeyondTheLimit(Kind kind) {
        Stress.seconds(2, 20, 200).forAll(2, random -> {
            Instances some = new Instances(kind.spec, Script.LIMIT, 2 + random.nextInt(4), random);
            for (int i = 0; i < 6; i++) {
                some.askFor(Duration.ofMillis(100 + random.nextInt(2_000)), 1 + random.nextInt(20));
                some.time.advance(random.nextInt(1_500) * MILLI);
            }
            some.check(kind);
            some.limiters.forEach(StoreRateLimiter::close);
        });
    }

    /** A script that forgets what is charged beyond the limit. */
    private static Script forgetting() {
        String text = Script.LIMIT.text().replace("d.ceiling == 0 and used > most", "false");
        return new Script("twin", text, "forgets " + Script.LIMIT.sha());
    }

    @ParameterizedTest
    @EnumSource(value = Kind.class, mode = EnumSource.Mode.EXCLUDE, names = "BUCKET")
    void brokenTwin_eachWindowForgetsWhatWasGrantedBeyondIt(Kind kind) {
        Instances three = new Instances(kind.spec, forgetting(), 3, new SplittableRandom(1));
        three.askFor(Duration.ofMillis(10_000), 1);
        assertThrows(AssertionError.class, () -> three.check(kind));
    }
}
