package dev.weir.samples;

import dev.weir.Limiter;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import java.time.Duration;

/*
 * A rate limiter in five lines: three mails an hour, and the fourth is told when to ask again.
 *
 * Expected output:
 *
 *     mail 1 sent
 *     mail 2 sent
 *     mail 3 sent
 *     mail 4 refused: RATE, ask again in 20 minutes
 */
public final class S02_RateLimiterInFiveLines {
    private S02_RateLimiterInFiveLines() {}

    public static void main(String[] args) {
        // #region limiter
        Limiter limiter = Limiters.of("mail", TokenBucket.of(3, Duration.ofHours(1)));
        for (int i = 1; i <= 4; i++) {
            String mail = "mail " + i;
            limiter.run(
                    () -> System.out.println(mail + " sent"),
                    refused -> System.out.println(mail + " refused: " + refused.reason() + ", ask again in "
                            + Math.round(refused.retryAfterNanos() / 60e9) + " minutes"));
        }
        // #endregion limiter
    }
}
