package dev.weir.jdbc;

import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.List;

/** A limit that several processes use up together, and the most that it may have granted. Times are microseconds of the database. */
enum OracleLimit {
    BUCKET(TokenBucket.of(400, Duration.ofSeconds(1)).withCapacity(200)),
    WINDOW(SlidingWindow.of(100, Duration.ofMillis(500)).withBlocks(10)),
    LOG(SlidingLog.of(100, Duration.ofMillis(500))),
    FIXED(FixedWindow.aligned(100, Duration.ofMillis(500)));

    private static final long SECOND = 1_000_000;
    private static final long RATE = 400;
    private static final long BURST = 200;
    private static final long LIMIT = 100;
    private static final long PERIOD = 500_000;
    private static final long BLOCK = PERIOD / 10;

    private final StrategySpec spec;

    OracleLimit(StrategySpec spec) {
        this.spec = spec;
    }

    StrategySpec spec() {
        return spec;
    }

    /** Permits that were granted at an instant. */
    record Grant(long atMicros, long permits) {}

    /** The permits that the worst time, from one grant to another, had too many; 0 or less = none. The grants are in ascending order. */
    long excess(List<Grant> grants) {
        return this == BUCKET ? excessOfBucket(grants) : mostInAWindow(grants) - LIMIT;
    }

    private static long excessOfBucket(List<Grant> grants) {
        long most = 0;
        long missing = 0;
        long last = grants.isEmpty() ? 0 : grants.get(0).atMicros;
        for (Grant grant : grants) {
            missing = Math.max(0, missing - RATE * (grant.atMicros - last)) + grant.permits * SECOND;
            last = grant.atMicros;
            most = Math.max(most, missing);
        }
        return (most - BURST * SECOND + SECOND - 1) / SECOND;
    }

    private long mostInAWindow(List<Grant> grants) {
        long most = 0;
        long sum = 0;
        int from = 0;
        for (Grant grant : grants) {
            sum += grant.permits;
            while (grants.get(from).atMicros < firstThatCounts(grant.atMicros)) {
                sum -= grants.get(from++).permits;
            }
            most = Math.max(most, sum);
        }
        return most;
    }

    private long firstThatCounts(long at) {
        return switch (this) {
            case WINDOW -> (at / BLOCK - 10) * BLOCK;
            case FIXED -> at / PERIOD * PERIOD;
            default -> at - PERIOD + 1;
        };
    }

    /** The permits that it grants in so many microseconds, without its burst. */
    long refilled(long micros) {
        return this == BUCKET ? micros * RATE / SECOND : micros / PERIOD * LIMIT;
    }
}
