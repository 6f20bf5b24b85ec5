package dev.weir.benchmarks.retries;

import dev.weir.testkit.VirtualTime;
import dev.weir.Limiter;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import java.util.SplittableRandom;

/** A client that calls what is below it, and calls again if that fails, as often as its limiter grants it. */
final class Layer implements Callee {
    private static final long BACKOFF = 50_000_000;

    private final VirtualTime time;
    private final SplittableRandom random;
    private final Limiter limiter;
    private final int retries;
    private final Callee below;

    Layer(VirtualTime time, SplittableRandom random, Limiter limiter, int retries, Callee below) {
        this.time = time;
        this.random = random;
        this.limiter = limiter;
        this.retries = retries;
        this.below = below;
    }

    @Override
    public void call(Answer answer) {
        attempt(0, answer);
    }

    private void attempt(int retry, Answer answer) {
        if (!(limiter.tryAcquire(Request.ONE.withPriority(retry)) instanceof Permit permit)) {
            answer.is(false);
            return;
        }
        below.call(success -> {
            permit.release(success ? Outcome.SUCCESS : Outcome.DROPPED);
            if (success || retry == retries) {
                answer.is(success);
            } else {
                time.ring(backoff(retry), () -> attempt(retry + 1, answer));
            }
        });
    }

    /* 50, 100, 200 ms, of which a random part. */
    private long backoff(int retry) {
        return random.nextLong(1, BACKOFF << retry);
    }
}
