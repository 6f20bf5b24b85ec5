package dev.weir.store.contract;

import dev.weir.algorithms.SlidingWindow;
import dev.weir.spi.StrategySpec;
import java.math.BigInteger;

/**
 * The model of a limit by cost, which may be charged with more than it has: a bucket below zero, or a window beside a debt at its
 * rate. Time does not go back.
 */
public final class OverdrawnModel {
    private final Model rate;
    private final boolean isWindow;
    private final boolean isCounted;
    private final long period;
    private final long longest;
    private final BigInteger leak;
    private final BigInteger cost;
    /* Of a window that is counted also without a debt: what it has used leaks all the time. */
    private BigInteger units = BigInteger.ZERO;
    private BigInteger ceiling = BigInteger.ZERO;
    private long now;

    public OverdrawnModel(StrategySpec spec) {
        rate = Models.of(spec);
        isWindow = !(rate instanceof EvenModel);
        isCounted = rate instanceof CountModel;
        Specs.Bound bound = Specs.bound(spec);
        period = bound.period() / 1_000;
        longest = spec instanceof SlidingWindow window
                ? (period + window.blocks() - 1) / window.blocks() * window.blocks()
                : period;
        leak = BigInteger.valueOf(bound.permits()).multiply(BigInteger.valueOf(1_000));
        cost = BigInteger.valueOf(bound.period());
    }

    public long largest() {
        return rate.largest();
    }

    /** So many permits for a charge that a window has room for, so that nothing is owed; if there is none, a refund of as many. */
    static long withoutDebt(Model rate, long permits) {
        boolean isWindow = rate instanceof CountModel || rate instanceof BlocksModel;
        if (!isWindow || permits < 0) {
            return permits;
        }
        return rate.room() > 0 ? Math.min(permits, rate.room()) : -permits;
    }

    private void moveTo(long next) {
        rate.moveTo(next);
        units = units.subtract(leak.multiply(BigInteger.valueOf(next - now))).max(BigInteger.ZERO);
        ceiling = units.signum() == 0 ? BigInteger.ZERO : ceiling;
        now = next;
    }

    private boolean owes() {
        return ceiling.signum() > 0;
    }

    private BigInteger of(long permits) {
        return cost.multiply(BigInteger.valueOf(permits));
    }

    private long room() {
        BigInteger left = ceiling.subtract(units).max(BigInteger.ZERO).divide(cost);
        return owes() ? Math.min(rate.room(), left.longValueExact()) : rate.room();
    }

    private long micros(BigInteger over) {
        return over.max(BigInteger.ZERO)
                .add(leak)
                .subtract(BigInteger.ONE)
                .divide(leak)
                .longValueExact();
    }

    private long waitFor(long permits) {
        return Math.max(
                rate.waitFor(permits), owes() ? micros(units.add(of(permits)).subtract(ceiling)) : 0);
    }

    private long reset() {
        return Math.max(rate.reset(), owes() ? micros(units) : 0);
    }

    /**
     * Computes what a store must answer to the operation.
     *
     * @param held of a refund, microseconds
     */
    public ModelAnswer answer(int operation, long permits, long held, long at) {
        moveTo(at);
        boolean once = operation == ModelAnswer.ACQUIRE_ONCE && permits > largest();
        if (operation == ModelAnswer.ACQUIRE && permits > largest()) {
            return new ModelAnswer(0, room(), rate.limit(), reset(), -1);
        }
        long granted = switch (operation) {
            case ModelAnswer.ACQUIRE, ModelAnswer.ACQUIRE_ONCE ->
                (once ? reset() == 0 : permits <= room()) ? permits : 0;
            case ModelAnswer.ACQUIRE_UP_TO -> Math.min(permits, room());
            default -> permits;
        };
        take(operation, granted, held);
        boolean charges = operation == ModelAnswer.CHARGE || operation == ModelAnswer.OVERDRAW;
        if (!charges && granted == permits) {
            return new ModelAnswer(granted, room(), rate.limit(), reset(), 0);
        }
        boolean all = operation == ModelAnswer.ACQUIRE || operation == ModelAnswer.ACQUIRE_ONCE;
        long retry = once ? reset() : waitFor(all ? permits : 1);
        return new ModelAnswer(Math.max(0, granted), room(), rate.limit(), reset(), retry);
    }

    private void take(int operation, long permits, long held) {
        if (permits == 0) {
            return;
        }
        boolean isOld = permits < 0 && (isCounted ? held > period - rate.reset() : held >= longest);
        if (!isWindow || !isOld) {
            rate.take(permits);
        }
        if (!isWindow) {
            return;
        }
        if (permits < 0 && owes()) {
            BigInteger leaked = leak.multiply(BigInteger.valueOf(held));
            units = units.add(of(permits).add(leaked).min(BigInteger.ZERO)).max(BigInteger.ZERO);
            return;
        }
        units = units.add(of(permits)).max(BigInteger.ZERO);
        long over = rate.used() - largest();
        boolean overdraws = operation == ModelAnswer.OVERDRAW || operation == ModelAnswer.ACQUIRE_ONCE;
        if (overdraws && over > 0 && !owes()) {
            units = units.max(of(rate.used()));
            ceiling = units.subtract(of(over));
        } else if (!isCounted && !owes()) {
            units = BigInteger.ZERO;
        }
    }
}
