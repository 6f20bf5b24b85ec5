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
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** A process that uses limiters of other kinds before the measured one, ours and a peer's alike, unless it is to have only one. */
final class Mixed {
    /*
     * A process that knows one kind of limiter lets the compiler inline it into the code around it, which no real one can
     * count on. The compiler remembers the first two types it met at a call, so two kinds other than the measured one
     * are run first, as far as a library has others: granted and refused, ours as a permit and as a bracket.
     */

    /** The system property of a process that has no other kind. */
    static final String ALONE = "weir.alone";

    private static final int ROUNDS = 30_000;

    private Mixed() {}

    /** A limiter of this kind, after others have run. */
    static ManagedLimiter limiter(StrategySpec measured) {
        if (!isAlone()) {
            Stream.of(new Counter(1), new Semaphore(1), TokenBucket.of(1, Duration.ofMillis(1)))
                    .filter(other -> other.getClass() != measured.getClass())
                    .limit(2)
                    .forEach(Mixed::exercise);
        }
        return Limiters.of("measured", measured);
    }

    static boolean isAlone() {
        return Boolean.getBoolean(ALONE);
    }

    /** Runs a limiter of another kind of a peer; each run says whether it was granted. */
    static void exercise(BooleanSupplier other) {
        int granted = 0;
        for (int i = 0; i < ROUNDS; i++) {
            granted += other.getAsBoolean() ? 1 : 0;
        }
        if (granted == 0 || granted == ROUNDS) {
            throw new IllegalStateException("granted " + granted + " of " + ROUNDS + " where some are to be refused");
        }
    }

    private static void exercise(StrategySpec spec) {
        Limiter limiter = Limiters.of("other", spec);
        Works works = new Works();
        for (int i = 0; i < ROUNDS; i++) {
            Decision first = limiter.tryAcquire(Request.ONE);
            limiter.run(works.next(), refused -> works.done.addAndGet(refused.limit()));
            if (first instanceof Permit permit) {
                permit.release(Outcome.SUCCESS);
            }
            limiter.run(works.next(), refused -> works.done.addAndGet(refused.limit()));
        }
        if (works.done.get() == 0) {
            throw new IllegalStateException("nothing ran");
        }
    }

    /** Two kinds of work in turn. */
    static final class Works {
        private final AtomicLong done = new AtomicLong();
        private final Runnable even = () -> done.addAndGet(2);
        private final Runnable odd = done::incrementAndGet;
        private boolean isOdd;

        Runnable next() {
            isOdd = !isOdd;
            return isOdd ? odd : even;
        }
    }
}
