package dev.weir.testkit;

import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Composition.Figures;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * A comparison of the permits that were granted under one rate and its predecessors with those that these refilled: in
 * each window, the grants exceed the integral of the rate by at most the largest {@link Figures#max} in force in it.
 */
final class RateBound {
    /*
     * A phase is the time between two changes. For the windows that began in one phase, `surplus` is the largest value of
     * granted - refilled; it is never below 0, because a window may also begin now. `max` is the largest bound since that
     * phase. An entry is removed if another one has no smaller surplus and no larger bound, so that few remain.
     *
     * Fractions of a permit are counted in 2^-20, and refills are rounded up: in favour of the limiter, by less than
     * a thousandth of a permit in a history.
     */
    private static final int UNIT_BITS = 20;
    private static final long UNIT = 1L << UNIT_BITS;

    private static final class Windows {
        long surplus;
        long max;

        Windows(long surplus, long max) {
            this.surplus = surplus;
            this.max = max;
        }
    }

    final StrategySpec spec;
    final boolean isByCost;
    private Figures figures;
    private Figures remembered;
    private long rememberedUntil;
    private List<Windows> windows = new ArrayList<>();
    private long atThisInstant;
    private long maxAtThisInstant;

    RateBound(StrategySpec spec, Figures figures, boolean isByCost, List<RateBound> predecessors, long now) {
        this.spec = spec;
        this.isByCost = isByCost;
        this.figures = figures;
        this.remembered = figures;
        this.rememberedUntil = now;
        for (RateBound before : predecessors) {
            before.windows.forEach(w -> windows.add(new Windows(w.surplus, w.max)));
            atThisInstant = Math.max(atThisInstant, before.atThisInstant);
            maxAtThisInstant = Math.max(maxAtThisInstant, before.maxAtThisInstant);
        }
        startPhase();
    }

    /**
     * The same counts under another specification or limit from this instant on. By docs/how/changes.md, of a rate window
     * with a lower limit "its old and higher rate counts as in force for one more period".
     */
    RateBound at(StrategySpec next, Figures now, long instant) {
        RateBound same = new RateBound(next, now, isByCost, List.of(this), instant);
        boolean stillRemembered = rememberedUntil > instant && isFaster(remembered, figures);
        Figures fastest = stillRemembered ? remembered : figures;
        if (isFaster(fastest, now)) {
            same.remembered = fastest;
            same.rememberedUntil = instant + now.remembered();
        }
        return same;
    }

    private static boolean isFaster(Figures a, Figures b) {
        return (double) a.permits() / a.period() > (double) b.permits() / b.period();
    }

    private void startPhase() {
        windows.forEach(w -> w.max = Math.max(w.max, figures.max()));
        windows.add(new Windows(0, figures.max()));
        maxAtThisInstant = Math.max(maxAtThisInstant, figures.burst());
        prune();
    }

    private void prune() {
        if (windows.size() == 1) {
            return;
        }
        List<Windows> kept = new ArrayList<>();
        for (Windows w : windows) {
            if (kept.stream().noneMatch(k -> k.surplus >= w.surplus && k.max <= w.max)) {
                kept.removeIf(k -> k.surplus <= w.surplus && k.max >= w.max);
                kept.add(w);
            }
        }
        windows = kept;
    }

    /** Time passes, from this instant on. */
    void pass(long nanos, long from) {
        long fast = Math.min(nanos, Math.max(0, rememberedUntil - from));
        for (Windows w : windows) {
            w.surplus = refilled(w.surplus, fast, remembered);
            w.surplus = refilled(w.surplus, nanos - fast, figures);
        }
        prune();
        atThisInstant = 0;
        maxAtThisInstant = figures.burst();
    }

    private static long refilled(long surplus, long nanos, Figures by) {
        if (surplus == 0 || nanos == 0) {
            return surplus;
        }
        if ((double) nanos * by.permits() / by.period() > surplus / UNIT + 1) {
            return 0;
        }
        long units = nanos < (1L << 42) / by.permits()
                ? (nanos * by.permits() * UNIT - 1) / by.period() + 1
                : BigInteger.valueOf(nanos)
                                .multiply(BigInteger.valueOf(by.permits()))
                                .shiftLeft(UNIT_BITS)
                                .divide(BigInteger.valueOf(by.period()))
                                .longValue()
                        + 1;
        return Math.max(0, surplus - units);
    }

    void granted(long permits) {
        windows.forEach(w -> w.surplus += permits * UNIT);
        atThisInstant += permits;
    }

    /** How the bound was exceeded, or an empty text. */
    String excess() {
        if (atThisInstant > maxAtThisInstant) {
            return atThisInstant + " permits at one instant, at most " + maxAtThisInstant + " by " + spec;
        }
        for (Windows w : windows) {
            if (w.surplus > w.max * UNIT) {
                return (double) w.surplus / UNIT + " permits more than refilled, at most " + w.max + " by " + spec;
            }
        }
        return "";
    }
}
