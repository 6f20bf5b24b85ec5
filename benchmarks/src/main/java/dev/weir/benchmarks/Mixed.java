package dev.weir.benchmarks;

import dev.weir.Decision;
import dev.weir.Limiter;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** A limiter in a process that has limiters of other kinds. */
final class Mixed {
    /*
     * A process that knows one kind of strategy lets the compiler inline it into the engine, which no real one can
     * count on. The compiler remembers the first two types it met at a call, so two kinds other than the measured one
     * are run first: granted, refused, as a permit and as a bracket. The peers are measured as they come, each alone;
     * what ours does alone, as `weirAlone`, stands beside.
     */
    private static final int ROUNDS = 30_000;

    private Mixed() {}

    /** A limiter of this kind, after others have run. */
    static ManagedLimiter limiter(StrategySpec measured) {
        Stream.of(new Counter(1), new Semaphore(1), TokenBucket.of(1, Duration.ofMillis(1)))
                .filter(other -> other.getClass() != measured.getClass())
                .limit(2)
                .forEach(Mixed::exercise);
        return alone(measured);
    }

    /** A limiter of this kind in a process that has no other. */
    static ManagedLimiter alone(StrategySpec measured) {
        return Limiters.of("measured", measured);
    }

    private static void exercise(StrategySpec spec) {
        Limiter limiter = Limiters.of("other", spec);
        AtomicLong done = new AtomicLong();
        Runnable even = () -> done.addAndGet(2);
        Runnable odd = done::incrementAndGet;
        for (int i = 0; i < ROUNDS; i++) {
            Decision first = limiter.tryAcquire(Request.ONE);
            limiter.run(i % 2 == 0 ? even : odd, refused -> done.addAndGet(refused.limit()));
            if (first instanceof Permit permit) {
                permit.release(Outcome.SUCCESS);
            }
            limiter.run(i % 2 == 0 ? odd : even, refused -> done.addAndGet(refused.limit()));
        }
        if (done.get() == 0) {
            throw new IllegalStateException("nothing ran");
        }
    }
}
