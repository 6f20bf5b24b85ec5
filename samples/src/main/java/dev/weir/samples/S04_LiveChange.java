package dev.weir.samples;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.engine.Snapshot;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/*
 * The limit, then the algorithm, then the kind of limit change while permits are out: none is revoked or lost.
 *
 * Expected output:
 *
 *     one more?      granted
 *     one more?      granted
 *     one more?      granted
 *     at the start   Semaphore: 3 in flight, limit 4
 *     lowered        Semaphore: 3 in flight, limit 2
 *     one more?      refused, CONCURRENCY
 *     two released   Semaphore: 1 in flight, limit 2
 *     one more?      granted
 *     swapped        Counter: 2 in flight, limit 3
 *     one more?      granted
 *     one more?      refused, CONCURRENCY
 *     now a rate     TokenBucket: 3 in flight, limit 1
 *     one more?      granted
 *     one more?      refused, RATE
 *     all released   TokenBucket: 0 in flight, limit 1
 *     and back       Semaphore: 0 in flight, limit 4
 */
public final class S04_LiveChange {
    private final ManagedLimiter limiter = Limiters.of("orders", new Semaphore(4));
    private final Deque<Permit> out = new ArrayDeque<>();

    private S04_LiveChange() {}

    public static void main(String[] args) {
        new S04_LiveChange().run();
    }

    private void run() {
        ask();
        ask();
        ask();
        show("at the start");

        limiter.dial().setLimit(2);
        show("lowered");
        ask();
        out.remove().close();
        out.remove().close();
        show("two released");
        ask();

        limiter.reconfigure(new Counter(3));
        show("swapped");
        ask();
        ask();

        limiter.reconfigure(TokenBucket.of(1, Duration.ofHours(1)));
        show("now a rate");
        ask();
        ask();
        out.forEach(Permit::close);
        show("all released");

        limiter.reconfigure(new Semaphore(4));
        show("and back");
    }

    private void ask() {
        Decision decision = limiter.tryAcquire();
        if (decision instanceof Permit permit) {
            out.add(permit);
            System.out.println("one more?      granted");
        } else if (decision instanceof Rejection rejection) {
            System.out.println("one more?      refused, " + rejection.reason());
        }
    }

    private void show(String event) {
        Snapshot now = limiter.snapshot();
        String algorithm = now.spec().getClass().getSimpleName();
        System.out.printf("%-14s %s: %d in flight, limit %d%n", event, algorithm, now.inFlight(), now.limit());
    }
}
