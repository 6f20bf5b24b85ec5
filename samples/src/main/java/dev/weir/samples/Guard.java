package dev.weir.samples;

import com.netflix.concurrency.limits.Limit;
import com.netflix.concurrency.limits.limit.Gradient2Limit;
import com.netflix.concurrency.limits.limit.WindowedLimit;
import com.netflix.concurrency.limits.limiter.SimpleLimiter;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.Bounds;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Who decides what gets in, the same questions asked of each. */
interface Guard {
    /** A way out for whoever is let in; null for whoever is not. */
    @Nullable
    Exit enter();

    /** How many are inside, by its own count. */
    long inside();

    /** The limit in force and why. */
    String state();

    /** To be used once. */
    interface Exit {
        /** Leaves; {@code late} if the caller had given up by then. */
        void leave(boolean late);
    }

    static Guard named(String name) {
        int guess = 2 * Runtime.getRuntime().availableProcessors();
        return switch (name) {
            case "unguarded" -> new Nobody();
            case "gradient2" -> netflix(Gradient2Limit.newDefault());
            case "gradient2-windowed" ->
                netflix(WindowedLimit.newBuilder()
                        .build(Gradient2Limit.newBuilder()
                                .initialLimit(guess)
                                .minLimit(1)
                                .maxConcurrency(1000)
                                .build()));
            case "weir" -> weir(guess);
            default -> throw new IllegalArgumentException("no guard is called " + name);
        };
    }

    private static Guard weir(int guess) {
        ManagedLimiter limiter = Limiters.of("work", new Semaphore(guess));
        AdaptiveControl control = AdaptiveControl.of(limiter, Bounds.of(1, 1000));
        return new Guard() {
            @Override
            public @Nullable Exit enter() {
                return limiter.tryAcquire() instanceof Permit permit
                        ? late -> permit.release(late ? Outcome.DROPPED : Outcome.SUCCESS)
                        : null;
            }

            @Override
            public long inside() {
                return limiter.snapshot().inFlight();
            }

            @Override
            public String state() {
                return "limit " + limiter.dial().limit() + ", "
                        + control.snapshot().why();
            }
        };
    }

    private static Guard netflix(Limit limit) {
        SimpleLimiter<Void> limiter = SimpleLimiter.newBuilder().limit(limit).build();
        return new Guard() {
            @Override
            @SuppressWarnings("NullAway")
            public @Nullable Exit enter() {
                Optional<com.netflix.concurrency.limits.Limiter.Listener> admitted = limiter.acquire(null);
                return admitted.<Exit>map(listener -> late -> {
                            if (late) {
                                listener.onDropped();
                            } else {
                                listener.onSuccess();
                            }
                        })
                        .orElse(null);
            }

            @Override
            public long inside() {
                return limiter.getInflight();
            }

            @Override
            public String state() {
                return "limit " + limit.getLimit();
            }
        };
    }

    /** Lets everyone in. */
    record Nobody() implements Guard {
        @Override
        public Exit enter() {
            return late -> {};
        }

        @Override
        public long inside() {
            return 0;
        }

        @Override
        public String state() {
            return "no limit";
        }
    }
}
