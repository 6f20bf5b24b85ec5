package dev.weir.store;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.share.Instances;
import dev.weir.share.Instances.Place;
import dev.weir.spi.StrategySpec;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The part of the limit that this instance grants, kept for as long as the limiter lives. What the store grants to this instance
 * is taken from it too. Thread-safe.
 */
final class LocalPart {
    /** The part of a limit at a place; null = none. */
    interface Parts extends BiFunction<StrategySpec, Place, @Nullable StrategySpec> {}

    /** All that a part can be: counts what the store granted, while there is no part. */
    private static final Place WHOLE = new Place(0, 1);

    private record Basis(StrategySpec spec, Place place) {}

    private final String name;
    private final Instances instances;
    private final Parts parts;
    private final Ticker ticker;
    private final LongAdder failures = new LongAdder();
    /* Nobody waits for it. */
    private final AtomicBoolean changing = new AtomicBoolean();
    private volatile StrategySpec spec;
    /* These are written by the thread that set changing; others use the last part meanwhile. */
    private volatile @Nullable Basis basis;
    private volatile @Nullable ManagedLimiter limiter;
    private volatile boolean empty = true;

    /** Throws what the parts throw; a place that is not known yet is looked up later. */
    LocalPart(String name, Instances instances, Parts parts, StrategySpec spec, Ticker ticker) {
        this.name = name;
        this.instances = instances;
        this.parts = parts;
        this.ticker = ticker;
        this.spec = spec;
        Place place = place();
        if (place != null) {
            apply(new Basis(spec, place));
        } else {
            use(parts.apply(spec, WHOLE));
        }
    }

    long failures() {
        return failures.sum();
    }

    /**
     * Puts the part of another limit in force.
     *
     * @throws IllegalArgumentException if the parts refuse it; the last one stays in force
     */
    void reconfigure(StrategySpec next) {
        Basis now = basis;
        if (now != null) {
            StrategySpec unused = parts.apply(next, now.place);
        }
        spec = next;
        ManagedLimiter unusedLimiter = current();
    }

    /** The decision of this part; null if there is no part, or its code throws. */
    @Nullable
    Decision decide(Request request) {
        try {
            ManagedLimiter part = current();
            return part == null || empty ? null : part.tryAcquire(request);
        } catch (Throwable t) {
            failures.increment();
            return null;
        }
    }

    /** Takes what the store granted, or as much of it as there is. */
    void spend(Request request, long permits) {
        ManagedLimiter part = limiter;
        if (part == null) {
            return;
        }
        try {
            long left = permits;
            for (long chunk = permits; chunk > 0 && left > 0; ) {
                if (part.tryAcquire(like(request, chunk)) instanceof Permit) {
                    left -= chunk;
                } else {
                    chunk /= 2;
                }
                chunk = Math.min(chunk, left);
            }
        } catch (Throwable t) {
            failures.increment();
        }
    }

    private static Request like(Request request, long permits) {
        Request like = request.permits() == permits ? request : request.withPermits(permits);
        return like.isSettled() ? like.settled(permits) : like;
    }

    private @Nullable ManagedLimiter current() {
        Place place = place();
        Basis now = basis;
        StrategySpec wanted = spec;
        boolean same = now != null && now.spec == wanted && now.place.equals(place);
        if (place != null && !same && changing.compareAndSet(false, true)) {
            try {
                apply(new Basis(wanted, place));
            } catch (Throwable t) {
                failures.increment();
            } finally {
                changing.set(false);
            }
        }
        return limiter;
    }

    private @Nullable Place place() {
        try {
            return Objects.requireNonNull(instances.place(), "place");
        } catch (Throwable t) {
            failures.increment();
            Basis last = basis;
            return last == null ? null : last.place;
        }
    }

    private void apply(Basis next) {
        StrategySpec part = parts.apply(next.spec, next.place);
        use(part == null && limiter == null ? parts.apply(next.spec, WHOLE) : part);
        empty = part == null;
        basis = next;
    }

    private void use(@Nullable StrategySpec part) {
        ManagedLimiter running = limiter;
        if (part != null && running == null) {
            limiter = Limiters.builder(name, part).ticker(ticker).build();
        } else if (part != null && running != null) {
            running.reconfigure(part);
        }
    }
}
