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

    /** Ends it; true if this call decides it. */
    boolean end() {
        return endIf(() -> true);
    }

    /** Ends it; true if this call decides it: if nothing has, and {@code decided} is true. Nothing else decides it meanwhile. */
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
