package dev.weir.algorithms;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** The state of a {@link RateBucket} whose permits are paced. */
final class PacedState extends BucketState {
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
            LATE = MethodHandles.lookup().findVarHandle(PacedState.class, "late", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    volatile long start = UNKNOWN;
    private volatile long late;

    PacedState(BucketParameters parameters, long spent, long late) {
        super(parameters, spent);
        this.late = late;
    }

    static PacedState of(BucketParameters parameters, long elapsed, long missing, long late) {
        RateArithmetic arithmetic = parameters.arithmetic;
        long spent = missing == 0 ? arithmetic.arrived(elapsed) : arithmetic.arriving(elapsed) + missing;
        return new PacedState(parameters, spent, late);
    }

    /** Notes that the next slot, while all up to {@code before} is used, is taken at this time. */
    void isTaken(long before, long elapsed) {
        long units = parameters.arithmetic.arriving(elapsed) - (before - parameters.lostSlots);
        long known = late;
        while (units > known && !LATE.compareAndSet(this, known, units)) {
            known = late;
        }
    }

    /** Whether a new state would count less as late: nothing is used. */
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
