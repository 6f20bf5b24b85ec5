package dev.weir.verification.lincheck;

import dev.weir.Outcome;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.Semaphore;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.PartStrategy;
import java.util.concurrent.atomic.AtomicLong;

/** Concurrency limits with the mistakes that are usually made. */
public final class Twins {
    private Twins() {}

    /** The limit beside the count: what is compared and what is counted are of two instants. */
    public record TwoWords(long limit) implements StrategySpec {
        @Override
        public Strategy create(Ticker ticker) {
            return new Apart(limit);
        }

        private static final class Apart implements Strategy {
            private final AtomicLong inFlight = new AtomicLong();
            private volatile long limit;

            Apart(long limit) {
                this.limit = limit;
            }

            @Override
            public long acquire(Request request) {
                for (; ; ) {
                    long max = limit;
                    long now = inFlight.get();
                    if (now >= max) {
                        return UNTIL_RELEASE;
                    }
                    if (inFlight.compareAndSet(now, now + 1)) {
                        return GRANTED;
                    }
                }
            }

            @Override
            public void release(Request request, Outcome outcome) {
                inFlight.decrementAndGet();
            }

            @Override
            public long limit() {
                return limit;
            }

            @Override
            public void setLimit(long limit) {
                this.limit = limit;
            }
        }
    }

    /** One word, but the limit is written over whatever was counted since it was read. */
    public record PlainLimitWrite(long limit) implements StrategySpec {
        @Override
        public Strategy create(Ticker ticker) {
            return new OneWord(limit);
        }

        private static final class OneWord implements Strategy {
            private static final long COUNT = 0xFFFF_FFFFL;
            private final AtomicLong word;

            OneWord(long limit) {
                word = new AtomicLong(limit << 32);
            }

            @Override
            public long acquire(Request request) {
                for (; ; ) {
                    long w = word.get();
                    if ((w & COUNT) >= w >> 32) {
                        return UNTIL_RELEASE;
                    }
                    if (word.compareAndSet(w, w + 1)) {
                        return GRANTED;
                    }
                }
            }

            @Override
            public void release(Request request, Outcome outcome) {
                word.decrementAndGet();
            }

            @Override
            public long limit() {
                return word.get() >> 32;
            }

            @Override
            public void setLimit(long limit) {
                word.set(limit << 32 | word.get() & COUNT);
            }
        }
    }

    /** A semaphore whose successor starts with a count of its own. */
    public record FreshCounter(long limit) implements StrategySpec {
        @Override
        public Strategy create(Ticker ticker) {
            Strategy inner = new Semaphore(limit).create(ticker);
            return new PartStrategy() { // of which nothing counts the permits
                @Override
                public long acquire(Request request) {
                    return inner.acquire(request);
                }

                @Override
                public void release(Request request, Outcome outcome) {
                    inner.release(request, outcome);
                }

                @Override
                public long limit() {
                    return inner.limit();
                }

                @Override
                public void setLimit(long limit) {
                    inner.setLimit(limit);
                }
            };
        }
    }
}
