package dev.weir.verification.stress;

import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Traits;
import java.time.Duration;

/** A token bucket as it is usually written: what has arrived is rounded down each time, products may overflow. */
record NaiveBucket(long permits, Duration period, long capacity) implements StrategySpec {
    NaiveBucket {
        if (permits < 1 || capacity < 1 || period.compareTo(Duration.ofNanos(1)) < 0) {
            throw new IllegalArgumentException("below 1");
        }
        if (period.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0) {
            throw new IllegalArgumentException("too long");
        }
    }

    @Override
    public Strategy create(Ticker ticker) {
        return new Refilled(ticker);
    }

    private final class Refilled implements Strategy {
        private final Ticker ticker;
        private long tokens = capacity;
        private long last;

        Refilled(Ticker ticker) {
            this.ticker = ticker;
            this.last = ticker.read();
        }

        @Override
        public long acquire(Request request) {
            long now = ticker.read();
            tokens = Math.min(capacity, tokens + (now - last) * permits / period.toNanos());
            last = now;
            if (request.permits() > capacity) {
                return NEVER;
            }
            if (request.permits() > tokens) {
                return Math.max(1, period.toNanos() / permits);
            }
            tokens -= request.permits();
            return GRANTED;
        }

        @Override
        public Traits traits() {
            return Traits.RATE;
        }

        @Override
        public long limit() {
            return permits;
        }

        @Override
        public void setLimit(long limit) {
            throw new UnsupportedOperationException();
        }
    }
}
