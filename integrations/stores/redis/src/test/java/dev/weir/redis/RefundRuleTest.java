package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.spi.StrategySpec;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.WhenAway;
import dev.weir.testkit.VirtualTime;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One program, which cancels what it was granted, over a rate that it reaches in several ways: it gets the same permits in each. */
@Needs(Server.REDIS)
class RefundRuleTest {
    private static final long START = 1_767_225_600_000_000L;
    private static final StrategySpec FIVE = TokenBucket.of(5, Duration.ofHours(1));
    private static final int MANY = 20;

    private final VirtualTime time = new VirtualTime();
    private final VirtualRedis server = new VirtualRedis();
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        server.close();
    }

    enum Way {
        STRAIGHT,
        OBSERVED,
        QUEUE,
        QUEUE_OF_0,
        WITH_A_SEMAPHORE,
        QUEUE_BEFORE_ALL_OF,
        KEYED,
        KEYED_ALL_OF,
        REDIS
    }

    private Function<Request, Decision> way(Way way) {
        return switch (way) {
            case STRAIGHT -> limiter(FIVE)::tryAcquire;
            case OBSERVED -> {
                ManagedLimiter limiter = limiter(FIVE);
                limiter.counts();
                yield limiter::tryAcquire;
            }
            case QUEUE -> queue(FIVE, 9);
            case QUEUE_OF_0 -> queue(FIVE, 0);
            case WITH_A_SEMAPHORE -> limiter(AllOf.of(new Semaphore(MANY), FIVE))::tryAcquire;
            case QUEUE_BEFORE_ALL_OF -> queue(AllOf.of(new Semaphore(MANY), FIVE), 0);
            case KEYED -> limiter(Keyed.of(FIVE, 9))::tryAcquire;
            case KEYED_ALL_OF -> limiter(Keyed.of(AllOf.of(new Semaphore(MANY), FIVE), 9))::tryAcquire;
            case REDIS -> redis();
        };
    }

    private ManagedLimiter limiter(StrategySpec spec) {
        return Limiters.builder("five", spec).ticker(time).build();
    }

    private Function<Request, Decision> queue(StrategySpec spec, int capacity) {
        AdmissionQueue queue = AdmissionQueue.builder("five", limiter(spec), QueueSpec.of(capacity))
                .ticker(time)
                .alarm(time)
                .executor(Runnable::run)
                .build();
        open.add(queue);
        return request -> queue.acquireAsync(request, Duration.ZERO).join();
    }

    private Function<Request, Decision> redis() {
        server.time(() -> START + time.read() / 1_000);
        StoreRateLimiter limiter = StoreRateLimiter.builder(
                        "five", FIVE, spec -> new VirtualRate(server, RedisRate.of(spec), "five"), WhenAway.closed())
                .ticker(time)
                .alarm(time)
                .executor(Runnable::run)
                .build();
        open.add(limiter);
        return request -> limiter.acquireAsync(request, Duration.ZERO).join();
    }

    /** How many of 20 requests are granted. */
    private static int granted(Function<Request, Decision> way, Request request, Outcome outcome) {
        int granted = 0;
        for (int i = 0; i < MANY; i++) {
            if (way.apply(request) instanceof Permit permit) {
                granted++;
                permit.release(outcome);
            }
        }
        return granted;
    }

    /* 20 that are cancelled at once, 20 that are used; then, of 5 that were granted an hour later, what is left to others 24 minutes
    after that, and what when the 5 are cancelled. */
    private List<Integer> program(Way name, Request one) {
        Function<Request, Decision> way = way(name);
        int cancelled = granted(way, one, Outcome.CANCELLED);
        int used = granted(way, one, Outcome.SUCCESS);
        time.advance(Duration.ofHours(1));
        Decision five = way.apply(one.withPermits(5));
        time.advance(Duration.ofMinutes(24));
        int refilled = granted(way, one, Outcome.SUCCESS);
        ((Permit) five).release(Outcome.CANCELLED);
        ((Permit) five).release(Outcome.CANCELLED);
        return List.of(cancelled, used, refilled, granted(way, one, Outcome.SUCCESS));
    }

    @ParameterizedTest
    @EnumSource
    void R6_whatARefundableRequestHasNotUsedIsRefundedOnce(Way way) {
        Request asked = Request.forKey("ann").refundable();
        assertEquals(List.of(MANY, 5, 2, 3), program(way, asked));
    }

    @ParameterizedTest
    @EnumSource
    void R6_anotherRequestRefundsNothing(Way way) {
        assertEquals(List.of(5, 0, 2, 0), program(way, Request.forKey("ann")));
    }
}
