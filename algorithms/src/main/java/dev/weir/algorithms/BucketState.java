package dev.weir.algorithms;

import dev.weir.algorithms.Rate.Style;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** The state of a {@link RateBucket} under one set of parameters, and what follows from it at an instant. */
sealed class BucketState {
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

    /** The unit up to which all that ever arrive are used. Once the state is sealed, all bits are inverted: it is negative. */
    volatile long spent;

    /** The change that replaces this state; written once, before the state is sealed. */
    volatile @Nullable Change next;

    BucketState(BucketParameters parameters, long spent) {
        this.parameters = parameters;
        this.spent = spent;
    }

    /** Other parameters, and the reading at which the missing units are converted to them. */
    record Change(BucketParameters parameters, long asOf) {}

    /** The state with {@code missing} units missing and, if periodic, {@code brought} by the last batch. */
    static BucketState of(BucketParameters parameters, long elapsed, long missing, long brought) {
        if (parameters.rate.style() == Style.PACED) {
            return Paced.of(parameters, elapsed, missing, parameters.arithmetic.unit);
        }
        long start = parameters.arithmetic.arriving(elapsed);
        if (parameters.rate.style() == Style.TOLERANT && missing > parameters.full) {
            return new Shrunk(parameters, start + parameters.full, missing - parameters.full);
        }
        if (brought > parameters.arithmetic.batch) {
            return new Interval.Lowered(parameters, start + missing, start - brought, start);
        }
        return of(parameters, start + missing, start - brought);
    }

    static BucketState of(BucketParameters parameters, long spent, long lost) {
        return switch (parameters.rate.style()) {
            case INTERVAL, WINDOW -> new Interval(parameters, spent, lost);
            case PACED -> new Paced(parameters, spent, parameters.lostSlots);
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
            long batch = parameters.rate.style().isPeriodic() ? parameters.arithmetic.batch : 0;
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

    /** The state if permits arrive in batches. */
    static sealed class Interval extends BucketState {
        /*
         * If permits arrive in batches, the last batch counts as used until a steady rate would have brought it too:
         *
         *     previous beat        last beat - - now
         *     |   lost   |  brought  |     missing     |
         *                lost      arrived           spent
         *
         * The thread that takes the first permit after a batch that filled the bucket knows how much of the batch was lost, and
         * writes it. If no thread has since the last beat, the bucket was not filled and nothing was lost. A delayed thread may
         * write the value of an earlier beat; that is smaller, so more counts as brought.
         */
        volatile long lost;

        Interval(BucketParameters parameters, long spent, long lost) {
            super(parameters, spent);
            this.lost = lost;
        }

        /** Writes what the batch that filled the bucket lost. */
        void filled(long before, long arrived) {
            lost = arrived - brought(before, arrived);
        }

        private long brought(long before, long arrived) {
            return Math.max(0, before - (arrived - parameters.arithmetic.batch));
        }

        @Override
        long early(long before, long elapsed) {
            if (elapsed < 0 || isAllRefilled(elapsed)) {
                return 0;
            }
            long arrived = parameters.arithmetic.arrived(elapsed);
            long brought = before < arrived
                    ? brought(before, arrived)
                    : Math.max(0, Math.min(largestBatch(arrived), arrived - lost));
            long steady = brought == 0 ? 0 : parameters.refilled(elapsed - parameters.arithmetic.lastWhole(elapsed));
            return Math.max(0, brought - steady);
        }

        long largestBatch(long arrived) {
            return parameters.arithmetic.batch;
        }

        /* Begins after a batch larger than its own. A class of its own, because there may be millions of the others. */
        static final class Lowered extends Interval {
            private final long began;

            Lowered(BucketParameters parameters, long spent, long lost, long began) {
                super(parameters, spent, lost);
                this.began = began;
            }

            @Override
            long largestBatch(long arrived) {
                return began == arrived ? Long.MAX_VALUE : super.largestBatch(arrived);
            }
        }
    }

    /** The state of a bucket that became smaller than the number of permits that were missing from it. */
    static final class Shrunk extends BucketState {
        /*
         * Begins empty, because more was missing than a smaller bucket holds. The rest, `beyond`, delays no request, but it is
         * used: it counts again when the bucket becomes larger. It refills while nothing else is missing. The thread that takes
         * the first permit after that writes it. A delayed thread may write an earlier, larger value.
         */
        volatile long beyond;

        Shrunk(BucketParameters parameters, long spent, long beyond) {
            super(parameters, spent);
            this.beyond = beyond;
        }

        long beyond(long before, long arrived) {
            return Math.max(0, beyond - Math.max(0, arrived - before));
        }

        @Override
        long used(long before, long elapsed) {
            if (isAllRefilled(elapsed)) {
                return missing(before, elapsed);
            }
            long arrived = elapsed < 0 ? 0 : parameters.arithmetic.arrived(elapsed);
            return missing(before, elapsed) + beyond(before, arrived);
        }
    }

    /** The state if permits are paced. */
    static final class Paced extends BucketState {
        /*
         * The next slot is `due`, and `spent` is c slots after it, so that a bucket is full once the slot is late by that much:
         *
         *     slots    |         |         |         |
         *             due               now        spent = due + lostSlots        (c = 3)
         *              |------ late ------|
         *
         * A request takes the next slot if that is due, and moves `due` by all permits it takes: slots that are taken late leave
         * the ones after them where they were.
         *
         * When the bucket is full, those slots are over: they are lost, and slots count from the present instant. `start`
         * keeps that instant, so that a refund of everything taken since returns those slots too, once. If it is unknown, they
         * stay lost.
         *
         * What is used is what a steady rate would have missing: the slots taken ahead, and the most by which one was late since
         * slots began to count, because that one and all after it came in a time shorter by so much. One slot always counts as late.
         *
         *     used = due - now + late
         *
         * A thread writes how late a slot is before it takes it. Another thread may take that slot first, so too much may count
         * as late, never too little. `late` only grows: nobody could begin again with one slot and not lose what another thread
         * writes meanwhile. So a full bucket that has no use left gets a new state, see following().
         */
        private static final VarHandle LATE;

        static {
            try {
                LATE = MethodHandles.lookup().findVarHandle(Paced.class, "late", long.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        volatile long start = UNKNOWN;
        private volatile long late;

        Paced(BucketParameters parameters, long spent, long late) {
            super(parameters, spent);
            this.late = late;
        }

        static Paced of(BucketParameters parameters, long elapsed, long missing, long late) {
            RateArithmetic arithmetic = parameters.arithmetic;
            long spent = missing == 0 ? arithmetic.arrived(elapsed) : arithmetic.arriving(elapsed) + missing;
            return new Paced(parameters, spent, late);
        }

        /** Counts as late what the next slot is at this time, while all up to {@code before} is used. */
        void countLate(long before, long elapsed) {
            long units = parameters.arithmetic.arriving(elapsed) - (before - parameters.lostSlots);
            long known = late;
            while (units > known && !LATE.compareAndSet(this, known, units)) {
                known = late;
            }
        }

        /** True if a new state would count less as late: nothing is used. */
        boolean isOutdated(long before, long elapsed) {
            return late > parameters.arithmetic.unit && hasNoUse(before, elapsed);
        }

        private boolean hasNoUse(long before, long elapsed) {
            return isAllRefilled(elapsed) || (elapsed >= 0 && used(before, elapsed) == 0);
        }

        @Override
        long used(long before, long elapsed) {
            if (isAllRefilled(elapsed)) {
                return 0;
            }
            long arrived = elapsed < 0 ? 0 : parameters.arithmetic.arrived(elapsed);
            return Math.max(0, before - arrived - parameters.lostSlots + late);
        }

        @Override
        long maxUsed() {
            return parameters.maxMissing - parameters.lostSlots + late;
        }

        /** The units up to which all are used if as many slots were late as may be. */
        long spentIfLate(long before) {
            return before + Math.max(0, late - parameters.lostSlots);
        }

        /*
         * Another rate has another number of lost slots. What is ahead of the present instant, or behind it, stays as many slots.
         * If more may be taken at once than before, what was late beyond the lost slots is ahead from now on: otherwise the
         * largest requests of one rate would come after the late slots of another.
         */
        @Override
        BucketState following(Change change) {
            long before = unsealed();
            BucketParameters to = change.parameters();
            long elapsed = change.asOf() - parameters.origin;
            long unit = to.arithmetic.unit;
            long missing = missing(before, elapsed);
            long lateNow = hasNoUse(before, elapsed) ? parameters.arithmetic.unit : late;
            if (to.arithmetic != parameters.arithmetic) {
                missing = missing == 0 ? 0 : ahead(Math.min(parameters.maxMissing, missing), to);
                lateNow = Math.max(unit, parameters.scaled(lateNow, to.arithmetic));
                if (to.capacity > parameters.capacity && lateNow > to.lostSlots) {
                    missing += lateNow - to.lostSlots;
                    lateNow = to.lostSlots;
                }
            }
            return of(to, change.asOf() - to.origin, missing, lateNow);
        }

        private long ahead(long missing, BucketParameters to) {
            long scaled = parameters.scaled(missing, to.arithmetic);
            return Math.max(0, scaled - parameters.scaled(parameters.lostSlots, to.arithmetic) + to.lostSlots);
        }
    }
}
