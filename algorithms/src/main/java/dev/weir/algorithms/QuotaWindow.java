package dev.weir.algorithms;

import dev.weir.Ticker;

/** The strategy of {@link FirstHitQuota}. */
final class QuotaWindow extends WindowStrategy {
    /*
     * A window is open while some of it is used; `opened` is its start. What the previous window used counts as used until a
     * steady rate would have refilled it too, from the end of that window.
     */
    long opened;
    long used;
    long ended;
    long usedBefore;

    QuotaWindow(Ticker ticker, long limit, long window) {
        super(ticker, limit, window);
    }

    @Override
    void count(long permits, long now) {
        opened = used == 0 ? now : opened;
        used += permits;
    }

    @Override
    long nanosUntilFree(long permits, long now) {
        return opened + window - now;
    }

    @Override
    long moveTo(long reading) {
        long now = elapsed.at(reading);
        if (used > 0 && now - opened >= window) {
            ended = opened + window;
            usedBefore = used;
            used = 0;
        }
        return now;
    }

    /** Refunds what was granted in the window that is still open. */
    @Override
    void refund(long permits, long now, long sinceGrant) {
        if (now - sinceGrant - ended >= 0) {
            used = Math.max(0, used - permits);
        }
    }

    @Override
    void beforeLimit(long next, long now) {
        long early = early(now);
        usedBefore = early == 0 ? 0 : early + RateArithmetic.refilled(next, window, now - ended) + 1;
    }

    /** What the previous window used and a steady rate would not have refilled yet. */
    long early(long now) {
        return Math.max(0, usedBefore - RateArithmetic.refilled(limit, window, now - ended));
    }

    @Override
    long counted() {
        return used;
    }

    @Override
    long used(long now) {
        return used + early(now);
    }
}
