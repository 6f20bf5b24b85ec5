package dev.weir.benchmarks;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.LimiterObserver;

/** The main class of a process that uses a plain counter in each way, beside other kinds of limits and an observed one. */
final class MixedProcess {
    private static final int ROUNDS = 200_000;

    private MixedProcess() {}

    public static void main(String... none) {
        ManagedLimiter observed = Mixed.limiter(new Semaphore(64));
        observed.observe(new LimiterObserver() {});
        ManagedLimiter full = Mixed.limiter(new Semaphore(1));
        Decision held = full.tryAcquire();
        ManagedLimiter roomy = Mixed.limiter(new Semaphore(64));
        long done = held instanceof Permit ? 1 : 0;
        for (int i = 0; i < ROUNDS; i++) {
            done += take(observed);
            done += refuse(full);
            done += take(roomy);
            done += attempt(roomy);
            done += work(roomy);
        }
        System.out.println("done " + done);
    }

    static int refuse(ManagedLimiter limiter) {
        return limiter.tryAcquire() instanceof Rejection ? 1 : 0;
    }

    static int take(ManagedLimiter limiter) {
        return limiter.tryAcquire() instanceof Permit permit && permit.release(Outcome.SUCCESS) ? 1 : 0;
    }

    static int attempt(ManagedLimiter limiter) {
        return limiter.attempt(Request.ONE) instanceof Permit permit && permit.release(Outcome.SUCCESS) ? 1 : 0;
    }

    static int work(ManagedLimiter limiter) {
        limiter.run(() -> {});
        return 1;
    }
}
