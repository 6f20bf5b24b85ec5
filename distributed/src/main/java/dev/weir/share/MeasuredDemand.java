package dev.weir.share;

import dev.weir.Rejection.Reason;
import dev.weir.Ticker;
import dev.weir.engine.Counts;
import dev.weir.engine.ManagedLimiter;
import java.util.function.LongSupplier;

/** The demand of a limiter, measured since the last reading. Called by one thread at a time. */
final class MeasuredDemand implements LongSupplier {
    private final ManagedLimiter limiter;
    private final Counts counts;
    private final Ticker ticker;
    private final long period;
    private long grantedBefore;
    private long refusedBefore;
    private long readAt;
    private long demand;

    MeasuredDemand(ManagedLimiter limiter, long period) {
        this.limiter = limiter;
        this.counts = limiter.counts();
        this.ticker = limiter.ticker();
        this.period = period;
        this.readAt = ticker.read();
    }

    @Override
    public long getAsLong() {
        long now = ticker.read();
        long granted = counts.admitted();
        long refused = counts.refused(Reason.RATE)
                + counts.refused(Reason.CONCURRENCY)
                + counts.refused(Reason.TIMED_OUT)
                + counts.refused(Reason.UNAVAILABLE);
        long measured = measured(granted - grantedBefore, refused - refusedBefore, now - readAt);
        grantedBefore = granted;
        refusedBefore = refused;
        readAt = now;
        demand = measured >= demand ? measured : demand - (demand - measured + 3) / 4;
        return demand;
    }

    private long measured(long granted, long refused, long nanos) {
        if (!limiter.holds()) {
            return TargetShares.part(granted + refused, period, Math.max(1, nanos));
        }
        long inFlight = limiter.inFlight();
        return inFlight + (granted == 0 ? refused : TargetShares.part(inFlight, refused, granted));
    }
}
