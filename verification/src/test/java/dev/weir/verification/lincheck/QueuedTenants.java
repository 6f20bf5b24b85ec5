package dev.weir.verification.lincheck;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.queue.discipline.FairShare;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Traits;
import dev.weir.succession.PartStrategy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;

/**
 * Two tenants with a permit each, both held, and one waiter of each, whose subqueues have been left out. At the end no request
 * waits beside the free permit of its tenant.
 */
public final class QueuedTenants {
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);

    private final ManagedLimiter limiter = Limiters.of("l", new TwoKeys());
    private final AdmissionQueue queue = AdmissionQueue.builder(
                    "l", limiter, QueueSpec.of(10).by(new FairShare()))
            .ticker(() -> 0)
            .alarm((nanos, action) -> () -> {})
            .executor(Runnable::run)
            .build();
    private final Permit[] held = new Permit[2];
    /* By tenant, thread and number; thread 0 is before the others. */
    private final CompletableFuture<?>[][] waits = new CompletableFuture<?>[2][12];
    private final int[] entered = new int[3];

    public QueuedTenants() {
        for (int tenant = 0; tenant < 2; tenant++) {
            held[tenant] = (Permit) limiter.tryAcquire(Request.forKey(tenant));
        }
        enter(0, 0);
        enter(0, 1);
        limiter.enforce(1);
    }

    /** A limit of one for each of the keys 0 and 1. */
    private record TwoKeys() implements StrategySpec {
        @Override
        public Strategy create(Ticker ticker) {
            Strategy[] counters = {new Semaphore(1).create(ticker), new Semaphore(1).create(ticker)};
            return new PartStrategy() {
                @Override
                public Strategy route(Request request) {
                    return counters[request.key() instanceof Integer key ? key : 0];
                }

                @Override
                public long acquire(Request request) {
                    return route(request).acquire(request);
                }

                @Override
                public Object countedBy(Request request) {
                    return request.key();
                }

                @Override
                public boolean routes() {
                    return true;
                }

                @Override
                public Traits traits() {
                    return Traits.CONCURRENCY.explaining(true);
                }

                @Override
                public long limit() {
                    return 1;
                }

                @Override
                public void setLimit(long limit) {}
            };
        }
    }

    private void enter(int thread, int tenant) {
        CompletableFuture<Decision> wait = queue.acquireAsync(Request.forKey(tenant), EVER);
        waits[tenant][4 * thread + entered[thread]++] = wait;
    }

    @Operation
    public void come(@Param(gen = ThreadIdGen.class) int thread, @Param(gen = IntGen.class, conf = "0:1") int tenant) {
        enter(thread, tenant);
    }

    @Operation(runOnce = true)
    public void releaseFirst() {
        held[0].close();
    }

    @Operation(runOnce = true)
    public void releaseSecond() {
        held[1].close();
    }

    @Operation(runOnce = true)
    public void leave() {
        waits[0][0].cancel(false);
    }

    @Validate
    public void checkLine() {
        for (int tenant = 0; tenant < 2; tenant++) {
            boolean waiting = false;
            for (CompletableFuture<?> wait : waits[tenant]) {
                waiting |= wait != null && !wait.isDone();
            }
            if (waiting && limiter.tryAcquire(Request.forKey(tenant)) instanceof Permit) {
                throw new AssertionError("one of tenant " + tenant + " waits beside its permit");
            }
        }
    }

    /** A specification that allows every history: the check at the end decides. */
    public static final class Anything {
        public void come(int thread, int tenant) {}

        public void releaseFirst() {}

        public void releaseSecond() {}

        public void leave() {}
    }
}
