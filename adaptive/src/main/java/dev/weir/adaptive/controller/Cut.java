package dev.weir.adaptive.controller;

import dev.weir.adaptive.Window;

/**
 * A detector of losses, which after a cut of the limit also decides whether the cut helped. Only losses that a lower limit
 * reduces are losses to overload; those of a nested limit or of an open circuit breaker are not. In that case the cut is undone,
 * and this share of losses is tolerated for a {@link Backoff}.
 */
final class Cut {
    private static final double SLIGHT = 0.1;
    private static final double REDUCED = 0.75;

    private final Backoff backoff = new Backoff();
    private Throughput before = Throughput.NONE;
    private double tolerated;

    boolean onTrial() {
        return before != Throughput.NONE;
    }

    /** True if more is lost than is tolerated, beyond doubt. */
    boolean losesTooMuch(Throughput now) {
        double all = now.done() + now.lost();
        double usual = tolerated + SLIGHT * (1 - tolerated);
        return now.lost() >= 3 && now.lost() > usual * all + Throughput.CLEAR * Math.sqrt(usual * (1 - usual) * all);
    }

    /** Lets the time of this window pass: losses are tolerated for a limited time. */
    void pass(Window window) {
        tolerated = backoff.endsAfter(window.nanos()) ? 0 : tolerated;
    }

    /** Starts the trial of a cut; this was measured before it. */
    void begin(Throughput uncut) {
        before = uncut;
    }

    /**
     * Ends the trial by what was measured after the cut.
     *
     * @param waits whether more is in flight than the throughput needs, so that a queue may cause the losses
     * @return whether it helped
     */
    boolean helped(Throughput now, boolean waits) {
        Throughput uncut = before;
        before = Throughput.NONE;
        double share = Math.sqrt(Math.min(1, now.limit() / uncut.limit()));
        boolean reduced = now.lostShare() < REDUCED * uncut.lostShare() && now.rate() >= share * uncut.rate();
        boolean swamped = waits && (uncut.mostlyLost() || now.mostlyLost()) && now.allRate() >= share * uncut.allRate();
        if (reduced || swamped) {
            return true;
        }
        tolerated = Math.max(uncut.lostShare(), now.lostShare());
        backoff.begin();
        return false;
    }
}
