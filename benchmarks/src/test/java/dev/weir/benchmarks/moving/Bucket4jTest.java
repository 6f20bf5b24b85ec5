package dev.weir.benchmarks.moving;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.Decision;
import dev.weir.Limiter;
import dev.weir.Rejection;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.ConsumptionProbe;
import io.github.bucket4j.TokensInheritanceStrategy;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** docs/start/from-bucket4j.md: the same program before and after, and what it says of both. */
class Bucket4jTest {
    private static final long SECOND = 1_000_000_000;

    @Test
    void bothRefuseTheTwentyFirstAndSayWhenToAskAgain() {
        // #region theirs
        Bucket bucket = Bucket.builder()
                .addLimit(limit -> limit.capacity(20).refillGreedy(10, Duration.ofHours(1)))
                .build();
        // #endregion theirs
        // #region ours
        Limiter limiter =
                Limiters.of("api", TokenBucket.of(10, Duration.ofHours(1)).withCapacity(20));
        // #endregion ours
        for (int i = 0; i < 20; i++) {
            assertEquals("granted", theirs(bucket));
            assertEquals("granted", ours(limiter));
        }
        assertEquals("again in 6 minutes", theirs(bucket));
        assertEquals("again in 6 minutes", ours(limiter));
    }

    private static String theirs(Bucket bucket) {
        // #region their-answer
        ConsumptionProbe probe = bucket.tryConsumeAndReturnRemaining(1);
        String answer = probe.isConsumed() ? "granted" : again(probe.getNanosToWaitForRefill());
        // #endregion their-answer
        return answer;
    }

    private static String ours(Limiter limiter) {
        // #region our-answer
        Decision decision = limiter.tryAcquire();
        String answer = decision instanceof Rejection refused ? again(refused.retryAfterNanos()) : "granted";
        // #endregion our-answer
        return answer;
    }

    private static String again(long nanos) {
        return "again in " + Math.round(nanos / 60.0 / SECOND) + " minutes";
    }

    /** 15 of 20 were used, and the capacity becomes 40. */
    @Test
    void aChangeKeepsWhatWasUsedWithoutAChoice() {
        Bucket theirs = Bucket.builder()
                .addLimit(limit -> limit.capacity(20).refillGreedy(20, Duration.ofDays(1)))
                .build();
        theirs.tryConsume(15);
        theirs.replaceConfiguration(
                BucketConfiguration.builder()
                        .addLimit(limit -> limit.capacity(40).refillGreedy(40, Duration.ofDays(1)))
                        .build(),
                TokensInheritanceStrategy.AS_IS);
        assertEquals(5, theirs.getAvailableTokens());
        ManagedLimiter ours = Limiters.of("ours", TokenBucket.of(20, Duration.ofDays(1)));
        for (int i = 0; i < 15; i++) {
            ours.tryAcquire();
        }
        ours.reconfigure(TokenBucket.of(40, Duration.ofDays(1)));
        int left = 0;
        while (!(ours.tryAcquire() instanceof Rejection)) {
            left++;
        }
        assertEquals(25, left);
    }
}
