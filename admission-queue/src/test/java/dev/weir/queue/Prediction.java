package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongUnaryOperator;

/**
 * A server in virtual time, with the same arrivals and service times for every queue before it: what a predictive queue
 * refuses is set against what became of the same request where nothing is predicted.
 */
final class Prediction {
    static final long SECOND = 1_000_000_000;

    private static final int AT_ONCE = 4;
    private static final long WORK = 100_000_000;
    private static final Duration MAX_WAIT = Duration.ofSeconds(1);

    /** Pareto with a = 1.5, of mean 1, cut at 100. */
    static final DoubleUnaryOperator PARETO = u -> Math.min(100, StrictMath.pow(1 - u, -1 / 1.5) / 3);

    static final DoubleUnaryOperator EXPONENTIAL = u -> -StrictMath.log(1 - u);
    static final DoubleUnaryOperator CONSTANT = u -> 1;

    /**
     * A load on the server.
     *
     * @param load arrivals as a share of what it can bear on average
     * @param service how long the work takes, times 100 ms, by a number drawn evenly from 0 to 1
     * @param stall when work that begins at this instant begins instead
     */
    record Load(String name, double load, DoubleUnaryOperator service, int requests, LongUnaryOperator stall) {}

    /** What came of it: the requests refused without waiting, granted, and refused after they waited. */
    record Ended(BitSet atOnce, BitSet granted, BitSet timedOut) {}

    private final VirtualTime time = new VirtualTime();
    private final SplittableRandom random = new SplittableRandom(42);
    private final Load load;
    private final AdmissionQueue queue;
    private final Ended ended = new Ended(new BitSet(), new BitSet(), new BitSet());
    private int arrived;

    private Prediction(Load load, QueueSpec spec) {
        this.load = load;
        ManagedLimiter limiter =
                Limiters.builder("server", new Semaphore(AT_ONCE)).ticker(time).build();
        queue = AdmissionQueue.builder("server", limiter, spec)
                .executor(Runnable::run)
                .build();
    }

    static Ended run(Load load, QueueSpec spec) {
        Prediction run = new Prediction(load, spec);
        run.time.alarm(1, run::arrives);
        run.time.advance(10 * load.requests() * WORK / AT_ONCE + 1_000 * SECOND);
        return run.ended;
    }

    private void arrives() {
        int request = arrived++;
        double gap = WORK / AT_ONCE / load.load() * EXPONENTIAL.applyAsDouble(random.nextDouble());
        long work = Math.round(WORK * load.service().applyAsDouble(random.nextDouble()));
        if (arrived < load.requests()) {
            time.alarm(1 + Math.round(gap), this::arrives);
        }
        long since = time.read();
        queue.acquireAsync(Request.ONE, MAX_WAIT).thenAccept(decision -> decided(request, decision, since, work));
    }

    private void decided(int request, Decision decision, long since, long work) {
        long now = time.read();
        if (decision instanceof Permit permit) {
            ended.granted().set(request);
            time.alarm(load.stall().applyAsLong(now) - now + work, () -> permit.release(Outcome.SUCCESS));
        } else {
            (now == since ? ended.atOnce() : ended.timedOut()).set(request);
        }
    }
}
