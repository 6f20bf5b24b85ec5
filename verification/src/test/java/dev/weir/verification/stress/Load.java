package dev.weir.verification.stress;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.StrategySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Two threads that acquire and release, and one that changes the limiter under them, evenly over the run. */
final class Load {
    private static final int THREADS = 2;
    private static final int CHUNK = 1_000;
    private static final int MAX = 4;
    private static final long TRIES_A_PAIR = 20;
    private static final long MOVING = -1;

    private final ManagedLimiter limiter;
    private final @Nullable LongFunction<StrategySpec> odd;
    private final @Nullable LongFunction<StrategySpec> even;
    private final long pairs;
    private final int changes;
    private final AtomicLong done = new AtomicLong();
    private final AtomicLong tried = new AtomicLong();
    private final AtomicLong watched = new AtomicLong();
    private final AtomicLong excess = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();

    /* The oracle's: how many are inside, counted late in and early out; and version << 8 | limit, or MOVING. */
    private final AtomicLong inside = new AtomicLong();
    private volatile long inForce = MOVING;
    private volatile int changed;

    /** Without swaps, only the dial is turned. */
    Load(
            ManagedLimiter limiter,
            @Nullable LongFunction<StrategySpec> odd,
            @Nullable LongFunction<StrategySpec> even,
            long pairs,
            int changes) {
        this.limiter = limiter;
        this.odd = odd;
        this.even = even;
        this.pairs = pairs;
        this.changes = changes;
    }

    /** Admissions seen above the limit in force. */
    long excess() {
        return excess.get();
    }

    /** Pairs acquired and released; fewer than asked for if almost everything was refused. */
    long done() {
        return done.get();
    }

    /** Swaps and turns of the dial. */
    int changed() {
        return changed;
    }

    /** Pairs that went under the oracle. */
    long watched() {
        return watched.get();
    }

    void run() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            long seed = i;
            threads.add(new Thread(guarded(() -> work(new SplittableRandom(seed))), "worker " + i));
        }
        threads.add(new Thread(guarded(this::change), "changer"));
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        Throwable t = failed.get();
        if (t != null) {
            throw new AssertionError(t);
        }
    }

    private Runnable guarded(Runnable body) {
        return () -> {
            try {
                body.run();
            } catch (Throwable t) {
                failed.compareAndSet(null, t);
            }
        };
    }

    private boolean running() {
        boolean enough = done.get() >= pairs && changed >= changes;
        return !enough && tried.get() < TRIES_A_PAIR * pairs && failed.get() == null;
    }

    private void work(SplittableRandom random) {
        Bracket bracket = new Bracket();
        Permit[] held = new Permit[MAX];
        while (running()) {
            tried.addAndGet(CHUNK);
            int mode = random.nextInt(20);
            if (mode < 14) {
                done.addAndGet(bracket.repeat(limiter));
            } else if (mode < 17) {
                done.addAndGet(acquire());
            } else if (mode < 19) {
                done.addAndGet(attempt());
            } else {
                long seen = underOracle(held, random);
                watched.addAndGet(seen);
                done.addAndGet(seen);
            }
        }
    }

    private static final class Bracket implements Runnable, Consumer<Rejection> {
        private long ran;

        @Override
        public void run() {
            ran++;
        }

        @Override
        public void accept(Rejection refused) {}

        long repeat(ManagedLimiter limiter) {
            ran = 0;
            for (int i = 0; i < CHUNK; i++) {
                limiter.run(Request.ONE, this, this);
            }
            return ran;
        }
    }

    private long acquire() {
        long count = 0;
        for (int i = 0; i < CHUNK; i++) {
            if (limiter.tryAcquire(Request.ONE) instanceof Permit permit && permit.release(Outcome.SUCCESS)) {
                count++;
            }
        }
        return count;
    }

    private long attempt() {
        long count = 0;
        for (int i = 0; i < CHUNK; i++) {
            if (limiter.attempt(Request.ONE) instanceof Permit permit && permit.release(Outcome.CANCELLED)) {
                count++;
            }
        }
        return count;
    }

    private long underOracle(Permit[] held, SplittableRandom random) {
        long count = 0;
        for (int i = 0; count < CHUNK && i < CHUNK; i++) {
            int wanted = 1 + random.nextInt(MAX);
            int taken = 0;
            while (taken < wanted && admitted(held, taken)) {
                taken++;
            }
            count += taken;
            while (taken > 0) {
                inside.decrementAndGet();
                held[--taken].release(Outcome.SUCCESS);
            }
        }
        return count;
    }

    private boolean admitted(Permit[] held, int slot) {
        long before = inForce;
        if (!(limiter.tryAcquire(Request.ONE) instanceof Permit permit)) {
            return false;
        }
        held[slot] = permit;
        long now = inside.incrementAndGet();
        if (before != MOVING && before == inForce && now > (before & 0xFF)) {
            excess.incrementAndGet();
        }
        return true;
    }

    private void change() {
        SplittableRandom random = new SplittableRandom(3);
        for (int change = 0; change < changes && running(); change++) {
            changed = change;
            while (running() && done.get() < pairs / changes * change) {
                LockSupport.parkNanos(20_000);
            }
            long limit = 1 + random.nextInt(6);
            inForce = MOVING;
            change(change, limit);
            inForce = (long) change << 8 | limit;
        }
        changed = changes;
    }

    private void change(int change, long limit) {
        LongFunction<StrategySpec> spec = change % 2 == 0 ? even : odd;
        if (spec == null || change % 3 == 0) {
            limiter.dial().setLimit(limit);
        } else {
            limiter.reconfigure(spec.apply(limit));
            limiter.dial().setLimit(limit);
        }
    }
}
