package dev.weir.share;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The request of an instance for a share: its quota, weight, demand and degraded share. The quota may change; the demand is
 * confined to the rounds.
 */
final class ShareTerms {
    private static final int CHANGED = 8;

    final String entry;
    final String token;
    private final long degraded;
    final long forgetNanos;
    private final long weight;
    private final @Nullable LongSupplier demands;
    private volatile long quota;
    private long demand;
    private @Nullable Throwable demandFailure;

    ShareTerms(String entry, String token, long quota, long degraded, long forgetNanos, Division division) {
        this.entry = entry;
        this.token = token;
        this.quota = quota;
        this.degraded = degraded;
        this.forgetNanos = forgetNanos;
        this.weight = division instanceof Division.Weighted weighted ? weighted.weight() : 1;
        this.demands = division instanceof Division.ByDemand byDemand ? byDemand.demand() : null;
        this.demand = demands == null ? Row.MAX : 0;
    }

    long quota() {
        return quota;
    }

    void setQuota(long next) {
        quota = next;
    }

    /* Small changes are not worth a new ledger. */
    void measureDemand() {
        if (demands == null) {
            return;
        }
        long now;
        try {
            now = Math.max(0, Math.min(Row.MAX - 1, demands.getAsLong()));
            demandFailure = null;
        } catch (Throwable t) {
            demandFailure = t;
            return;
        }
        if (Math.abs(now - demand) > demand / CHANGED || (now == 0) != (demand == 0)) {
            demand = now;
        }
    }

    /** The failure of the last call of the function of the demand; null if it did not throw. */
    @Nullable
    Throwable demandFailure() {
        return demandFailure;
    }

    Row row(String instance) {
        return new Row(instance, token, 0, degraded, quota, weight, demand, -1);
    }
}
