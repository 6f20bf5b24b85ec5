package dev.weir.algorithms;

import dev.weir.algorithms.Rate.Style;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** The state of a {@link RateBucket} under one set of parameters, and what follows from it at an instant. */
sealed class BucketState permits BatchedState, PacedState, ShrunkState {
    static final long UNKNOWN = Long.MIN_VALUE;
    static final VarHandle SPENT;
    static final VarHandle NEXT;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            SPENT = lookup.findVarHandle(BucketState.class, "spent", long.class);
            NEXT = lookup.findVarHandle(BucketState.class, "next", Change.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final BucketParameters parameters;

    /** All units up to this one, of all that ever arrive, are used. Once the state is sealed, all bits are inverted: {@code ~n}, which is negative. */
    volatile long spent;

    /** The change that replaces this state; written once, before the state is sealed. */
    volatile @Nullable Change next;

    BucketState(BucketParameters parameters, long spent) {
        this.parameters = parameters;
        this.spent = spent;
    }

    /** Other parameters, and the reading at which the missing units are converted to them. */
    record Change(BucketParameters parameters, long asOf) {}

    /** The state with {@code missing} units missing and, if batched, {@code brought} by the last batch. */
    static BucketState of(BucketParameters parameters, long elapsed, long missing, long brought) {
        if (parameters.rate.style() == Style.PACED) {
            return PacedState.of(parameters, elapsed, missing, parameters.arithmetic.unit);
        }
        long start = parameters.arithmetic.arriving(elapsed);
        if (parameters.rate.style() == Style.TOLERANT && missing > parameters.full) {
            return new ShrunkState(parameters, start + parameters.full, missing - parameters.full);
        }
        if (brought > parameters.arithmetic.batch) {
            return new BatchedState.Lowered(parameters, start + missing, start - brought, start);
        }
        return of(parameters, start + missing, start - brought);
    }

    static BucketState of(BucketParameters parameters, long spent, long lost) {
        return switch (parameters.rate.style()) {
            case BATCHED, WINDOW -> new BatchedState(parameters, spent, lost);
            case PACED -> new PacedState(parameters, spent, parameters.lostSlots);
            case EVEN, TOLERANT -> new BucketState(parameters, spent);
        };
    }

    /** The state that replaces this one. Once this one is sealed, every thread computes the same. */
    BucketState following(Change change) {
        long before = unsealed();
        BucketParameters to = change.parameters;
        long elapsed = change.asOf - parameters.origin;
        long used = used(before, elapsed);
        long early = early(before, elapsed);
        if (to.arithmetic == parameters.arithmetic) {
            return of(to, change.asOf - to.origin, used, early);
        }
        long missing = parameters.scaled(Math.min(parameters.maxMissing, used), to.arithmetic);
        long since = Math.floorMod(elapsed, to.rate.period());
        long brought = early == 0 ? 0 : early + Math.min(to.refilled(since) + 1, to.rate.permits());
        return of(to, change.asOf - to.origin, missing, brought);
    }

    long unsealed() {
        long now = spent;
        return now < 0 ? ~now : now;
    }

    /* If the clock ran back before the origin, nothing has arrived, and the first beat will come again. If it ran back
    further than the last grant, no more is missing than can be missing now. */
    long missing(long before, long elapsed) {
        if (elapsed < 0) {
            long batch = parameters.rate.style().isBatched() ? parameters.arithmetic.batch : 0;
            return Math.min(parameters.maxMissing, before + batch);
        }
        return isAllRefilled(elapsed) ? 0 : Math.max(0, before - parameters.arithmetic.arrived(elapsed));
    }

    /** The units that count as used, besides {@link #early}. */
    long used(long before, long elapsed) {
        return missing(before, elapsed);
    }

    /** The most that {@link #used} may say. */
    long maxUsed() {
        return parameters.maxMissing;
    }

    /** The part of the last batch that a steady rate would not have brought yet. */
    long early(long before, long elapsed) {
        return 0;
    }

    boolean isAllRefilled(long elapsed) {
        return elapsed / 2 > parameters.arithmetic.maxElapsed;
    }
}
