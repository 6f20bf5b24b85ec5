package dev.weir.store.contract;

import java.math.BigInteger;
import java.time.Duration;

/** Permits that are free again evenly: {@code leak} units a microsecond, {@code cost} units a permit. */
public final class EvenModel implements Model {
    private final BigInteger leak;
    private final BigInteger cost;
    private final BigInteger cap;
    private final long paced;
    private final long limit;
    private BigInteger missing = BigInteger.ZERO;
    private BigInteger atChange = BigInteger.ZERO;
    private long changed;
    private long now;

    /** @param paced the largest request of a pacer; 0 = it is none */
    EvenModel(BigInteger leak, BigInteger cost, BigInteger cap, long paced, long limit) {
        this.leak = leak;
        this.cost = cost;
        this.cap = cap;
        this.paced = paced;
        this.limit = limit;
    }

    static EvenModel of(long permits, Duration period, long capacity) {
        BigInteger cost = BigInteger.valueOf(period.toNanos());
        BigInteger leak = BigInteger.valueOf(permits).multiply(BigInteger.valueOf(1_000));
        return new EvenModel(leak, cost, cost.multiply(BigInteger.valueOf(capacity)), 0, permits);
    }

    /** Counts as used up at that time. */
    public void drain(long since) {
        atChange = paced > 0 ? cost.multiply(BigInteger.valueOf(paced + 1)) : cap;
        missing = atChange;
        changed = since;
    }

    @Override
    public void moveTo(long now) {
        this.now = now;
        changed = Math.min(changed, now);
        missing = atChange.subtract(leak.multiply(BigInteger.valueOf(now - changed)))
                .max(BigInteger.ZERO);
    }

    @Override
    public long room() {
        if (paced > 0) {
            return missing.compareTo(cap) <= 0 ? paced : 0;
        }
        return cap.subtract(missing).max(BigInteger.ZERO).divide(cost).longValueExact();
    }

    @Override
    public long oneByOne() {
        return paced > 0 ? Math.min(1, room()) : room();
    }

    @Override
    public long waitFor(long permits) {
        BigInteger more = paced > 0 ? BigInteger.ZERO : cost.multiply(BigInteger.valueOf(permits));
        return micros(missing.add(more).subtract(cap).max(BigInteger.ZERO));
    }

    @Override
    public void take(long permits) {
        BigInteger before = paced > 0 && permits > 0 && missing.signum() == 0 ? cost : missing;
        missing = before.add(cost.multiply(BigInteger.valueOf(permits))).max(BigInteger.ZERO);
        atChange = missing;
        changed = now;
    }

    @Override
    public long reset() {
        return micros(missing);
    }

    @Override
    public long largest() {
        return paced > 0 ? paced : cap.divide(cost).longValueExact();
    }

    @Override
    public long limit() {
        return limit;
    }

    private long micros(BigInteger units) {
        return units.add(leak).subtract(BigInteger.ONE).divide(leak).longValueExact();
    }
}
