package dev.weir.testkit;

import dev.weir.LimitExceededException;
import dev.weir.Limiter;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.engine.LimiterView;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** The contract of an edge without a server: it runs the work of a call on a thread, under a permit. */
class SmallEdgeTest extends EdgeContract {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final ManagedLimiter limiter = Limiters.of("calls", new AtMost(THREADS + 2));

    private record AtMost(long limit) implements StrategySpec {
        @Override
        public Strategy create(Ticker ticker) {
            AtomicLong held = new AtomicLong();
            return new Strategy() {
                @Override
                public long acquire(Request request) {
                    return held.getAndUpdate(n -> n < limit ? n + 1 : n) < limit ? GRANTED : UNTIL_RELEASE;
                }

                @Override
                public void release(Request request, Outcome outcome) {
                    held.decrementAndGet();
                }

                @Override
                public long limit() {
                    return limit;
                }

                @Override
                public void setLimit(long changed) {
                    throw new UnsupportedOperationException("limit is fixed");
                }
            };
        }
    }

    @Override
    protected void close() {
        threads.shutdown();
    }

    @Override
    protected Limiter limiter() {
        return limiter;
    }

    @Override
    protected LimiterView view() {
        return limiter;
    }

    @Override
    protected boolean supports(Scenario scenario) {
        return scenario != Scenario.ASYNC_TIME_OUT;
    }

    @Override
    protected Call start(Scenario scenario) {
        CompletableFuture<Void> aborted = new CompletableFuture<>();
        CompletableFuture<Void> ended = scenario == Scenario.NEVER_STARTED
                ? CompletableFuture.completedFuture(null)
                : CompletableFuture.runAsync(() -> serve(scenario, aborted), threads);
        return new Call() {
            @Override
            public void read(int parts) {
                if (parts > 0) {
                    ended.handle((done, thrown) -> null).join();
                }
            }

            @Override
            public void abort() {
                aborted.complete(null);
            }
        };
    }

    private void serve(Scenario scenario, CompletableFuture<Void> aborted) {
        if (limiter.tryAcquire() instanceof Permit permit) {
            try {
                hold.await();
                work(scenario);
                ended(permit, scenario == Scenario.UNAVAILABLE ? Outcome.DROPPED : Outcome.SUCCESS, aborted);
            } catch (Exception | Error thrown) {
                ended(permit, Outcome.of(thrown), aborted);
            }
        }
    }

    /** Releases the permit. */
    void ended(Permit permit, Outcome outcome, CompletableFuture<Void> aborted) {
        permit.release(outcome);
    }

    private static void work(Scenario scenario) throws Exception {
        switch (scenario) {
            case TIME_OUT -> throw new TimeoutException();
            case INNER_REJECTION -> throw new LimitExceededException(new Rejection("inner", Reason.RATE, 0, 1));
            case ERROR -> throw new AssertionError("of the test");
            case EXCEPTION, ERROR_DISPATCH, ASYNC_EXCEPTION -> throw new IllegalStateException("of the test");
            case ASYNC_THEN_EXCEPTION, STREAM_EXCEPTION, COMMITTED_THEN_EXCEPTION ->
                throw new IllegalArgumentException("of the test");
            default -> {}
        }
    }
}
