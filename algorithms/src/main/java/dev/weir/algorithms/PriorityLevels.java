package dev.weir.algorithms;

import dev.weir.Outcome;
import dev.weir.Permit.Quota;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.spi.Traits;
import dev.weir.succession.InFlight;
import java.util.Set;

/** The strategy of {@link PriorityShedding}. */
final class PriorityLevels implements Counting {
    private final InFlight counter;
    volatile int[] reserved;

    PriorityLevels(InFlight counter, int[] reserved) {
        this.counter = counter;
        this.reserved = reserved;
    }

    @Override
    public InFlight counter() {
        return counter;
    }

    @Override
    public long acquire(Request request) {
        return counter.acquireLeaving(reservedPercent(request), request.permits());
    }

    private int reservedPercent(Request request) {
        int[] levels = reserved;
        return levels[Math.min(request.priority(), levels.length - 1)];
    }

    @Override
    public Quota quota(Request request) {
        return counter.quota(counter.limit() * reservedPercent(request) / 100);
    }

    @Override
    public void release(Request request, Outcome outcome) {
        counter.release(request.permits());
    }

    @Override
    public Traits traits() {
        return Traits.CONCURRENCY.explaining(true);
    }

    @Override
    public Set<Rejection.Reason> reasons() {
        return Set.of(Rejection.Reason.CONCURRENCY, Rejection.Reason.SHED, Rejection.Reason.NEVER);
    }

    @Override
    public Rejection.Reason reason(Request request, long answer) {
        if (answer < 0) {
            return Rejection.Reason.NEVER;
        }
        boolean fits = request.permits() <= counter.limit() - counter.inFlight();
        return fits ? Rejection.Reason.SHED : Rejection.Reason.CONCURRENCY;
    }
}
