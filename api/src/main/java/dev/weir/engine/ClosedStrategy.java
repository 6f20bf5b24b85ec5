package dev.weir.engine;

import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.spi.Traits;
import dev.weir.succession.PartStrategy;
import java.util.Set;

/** The strategy of a closed limiter: refuses every request. */
enum ClosedStrategy implements PartStrategy {
    INSTANCE;

    @Override
    public long acquire(Request request) {
        return NEVER;
    }

    @Override
    public Traits traits() {
        return Traits.CONCURRENCY.explaining(true);
    }

    @Override
    public Reason reason(Request request, long answer) {
        return Reason.CANCELLED;
    }

    @Override
    public Set<Reason> reasons() {
        return Set.of(Reason.CANCELLED);
    }

    @Override
    public long limit() {
        return 0;
    }

    @Override
    public void setLimit(long limit) {}
}
