package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.engine.ManagedLimiter;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A limiter of which some requests are cancelled, beside an equal one that never gets them and gets all others that are
 * granted. What is due after a refund is what the equal one grants at that instant.
 */
final class CancellingLimiter {
    static final int MAX_LIMIT = 20;
    static final int AT_MOST = 2_000;

    final SplittableRandom random;
    final VirtualTime time;
    final ManagedLimiter limiter;
    private final ManagedLimiter equal;
    private final TestedStrategy tested;
    private final long limit;
    private final List<Permit> toCancel = new ArrayList<>();

    CancellingLimiter(TestedStrategy tested, SplittableRandom random) {
        this.tested = tested;
        this.random = random;
        this.time = new VirtualTime(random.nextLong());
        this.limit = random.nextLong(2, MAX_LIMIT);
        this.limiter = tested.limiter(limit, time);
        this.equal = tested.limiter(limit, time);
    }

    /** Requests, straight and as a queue does, one permit that stays, so that a window of either limiter begins alike, and then others that will be cancelled. */
    void begin() {
        if (!other()) {
            return;
        }
        time.advance(random.nextInt(3) == 0 ? 0 : random.nextLong(tested.period() / 2));
        long permits = random.nextLong(1, limit);
        Request request = tested.request(tested.weighs() ? permits : 1).refundable();
        for (long asked = 0; asked < permits; asked += request.permits()) {
            Decision decision = random.nextBoolean() ? limiter.attempt(request) : limiter.tryAcquire(request);
            if (decision instanceof Permit permit) {
                toCancel.add(permit);
            }
        }
    }

    /** A refundable request of a waiter. */
    Decision attempt() {
        return limiter.attempt(tested.request(1).refundable());
    }

    /** Some requests that stay. */
    void others() {
        others(random.nextLong(limit + 1));
    }

    private void others(long atMost) {
        long left = atMost;
        while (left > 0 && other()) {
            left--;
        }
    }

    /** Requests that stay until no more is granted. */
    void drain() {
        others(AT_MOST);
    }

    private boolean other() {
        boolean granted = limiter.tryAcquire(tested.request(1)) instanceof Permit;
        if (granted) {
            assertInstanceOf(Permit.class, equal.tryAcquire(tested.request(1)), "without the others it grants too");
        }
        return granted;
    }

    /** Another limit for both. */
    void change() {
        long next = random.nextLong(1, MAX_LIMIT);
        if (random.nextBoolean()) {
            limiter.reconfigure(tested.spec(next));
            equal.reconfigure(tested.spec(next));
        } else {
            limiter.dial().setLimit(next);
            equal.dial().setLimit(next);
        }
    }

    /** Cancels the requests of {@link #begin}, and returns how many there were. */
    int cancel() {
        toCancel.forEach(permit -> assertTrue(permit.release(Outcome.CANCELLED)));
        toCancel.forEach(permit -> assertFalse(permit.release(Outcome.CANCELLED), "the same permit again"));
        return toCancel.size();
    }

    /** How many permits the equal limiter grants now. */
    int due() {
        return all(equal);
    }

    private int all(ManagedLimiter of) {
        return Oracle.takeAll(AT_MOST, of, () -> tested.request(1)).size();
    }

    void assertAllThatIsDue() {
        assertEquals(due(), all(limiter), "granted after all was refunded");
    }

    /** Now and, in total, later. */
    void assertNoMoreThanIsDue() {
        int more = 0;
        for (int instant = 1; instant <= 4; instant++) {
            more += all(limiter) - due();
            int granted = more;
            assertTrue(
                    granted <= tested.gainByCancelling(instant),
                    () -> granted + " more granted than without the requests that were cancelled");
            time.advance(random.nextLong(tested.period()));
        }
    }
}
