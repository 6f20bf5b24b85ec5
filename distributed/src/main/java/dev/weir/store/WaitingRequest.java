package dev.weir.store;

import dev.weir.store.internal.DelayLine;
import java.util.function.BooleanSupplier;

/** A request that waits for an answer to a command of its key, until that or the time-out decides it. Thread-safe. */
final class WaitingRequest implements DelayLine.Item {
    private final StoreRequest request;
    private final long since;
    /* Written under the monitor. */
    private volatile boolean ended;

    WaitingRequest(StoreRequest request, long since) {
        this.request = request;
        this.since = since;
    }

    StoreRequest request() {
        return request;
    }

    /** Whether this call decides it. */
    boolean end() {
        return endIf(() -> true);
    }

    /** Whether this call decides it; it does if nothing has and this is true. Then nothing else decides it meanwhile. */
    synchronized boolean endIf(BooleanSupplier decided) {
        boolean first = !ended && decided.getAsBoolean();
        ended |= first;
        return first;
    }

    @Override
    public boolean isDone() {
        return ended || request.isDone();
    }

    @Override
    public long since() {
        return since;
    }
}
