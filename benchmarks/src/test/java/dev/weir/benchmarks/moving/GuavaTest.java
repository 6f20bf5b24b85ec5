package dev.weir.benchmarks.moving;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.RateLimiter;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** docs/start/from-guava.md: the same program before and after, and what it says of both. */
class GuavaTest {
    private int sent;

    private void send() {
        sent++;
    }

    @Test
    void theirsSends() {
        // #region theirs
        RateLimiter mails = RateLimiter.create(10);
        if (mails.tryAcquire(1, TimeUnit.SECONDS)) {
            send();
        }
        // #endregion theirs
        assertEquals(1, sent);
    }

    @Test
    void oursSends() throws InterruptedException {
        // #region ours
        ManagedLimiter limiter = Limiters.of("mail", Pacer.of(10, Duration.ofSeconds(1)));
        AdmissionQueue mails = AdmissionQueue.before(limiter, QueueSpec.of(100));
        if (mails.acquire(Request.ONE, Duration.ofSeconds(1)) instanceof Permit) {
            send();
        }
        // #endregion ours
        assertEquals(1, sent);
        mails.close();
    }

    @Test
    void theirsBeginsWithNothingSavedAndOursFull() {
        RateLimiter theirs = RateLimiter.create(0.001);
        assertTrue(theirs.tryAcquire());
        assertFalse(theirs.tryAcquire());
        ManagedLimiter ours = Limiters.of("ours", TokenBucket.of(10, Duration.ofDays(1)));
        for (int i = 0; i < 10; i++) {
            assertInstanceOf(Permit.class, ours.tryAcquire());
        }
    }

    @Test
    void ofTheirsTheNextCallerPaysAndOfOursTheRequestItself() {
        RateLimiter theirs = RateLimiter.create(0.001);
        assertTrue(theirs.tryAcquire(1_000));
        assertFalse(theirs.tryAcquire());
        ManagedLimiter ours = Limiters.of("ours", TokenBucket.of(10, Duration.ofDays(1)));
        Rejection tooMany = assertInstanceOf(Rejection.class, ours.tryAcquire(Request.of(1_000)));
        assertEquals(Reason.NEVER, tooMany.reason());
        assertInstanceOf(Permit.class, ours.tryAcquire());
    }
}
