package dev.weir.adaptive.controller;

import dev.weir.adaptive.Window;

/**
 * Losses, and the trial whether a lower limit cures them. Only losses that a cut lowers are losses to load; those of a
 * nested limit or of an open circuit breaker stay as they are. Then the cut is taken back, and that share of losses is
 * tolerated for a {@link Backoff}.
 */
final class Cut {
    private static final double SLIGHT = 0.1;
    private static final double FEW = 20;
    private static final double CURED = 0.75;

    private final Backoff term = new Backoff();
    private Throughput before = Throughput.NONE;
    private double tolerated;

    /** Whether a cut is on trial. */
    boolean onTrial() {
        return before != Throughput.NONE;
    }

    /** Whether more is lost than is tolerated, beyond doubt. */
    boolean alarming(Throughput now) {
        double all = now.done() + now.lost();
        double usual = tolerated + SLIGHT * (1 - tolerated);
        return now.lost() >= 3 && now.lost() > usual * all + Throughput.CLEAR * Math.sqrt(usual * (1 - usual) * all);
    }

    /** Whether nearly all is lost, so that there is nothing to wait for. */
    boolean urgent(Throughput now) {
        return !onTrial() && now.lost() >= FEW && now.mostlyLost() && alarming(now);
    }

    /** Time goes by: what is tolerated is so for a while only. */
    void pass(Window window) {
        tolerated = term.endsAfter(window.nanos()) ? 0 : tolerated;
    }

    /** Begins a trial; this was measured before the cut. */
    void begin(Throughput uncut) {
        before = uncut;
    }

    /**
     * Ends the trial by what was measured after the cut.
     *
     * @param waits whether more is inside than what comes out needs, so that a queue there may be what loses it
     * @return whether it helped
     */
    boolean helped(Throughput now, boolean waits) {
        Throughput uncut = before;
        before = Throughput.NONE;
        double share = Math.sqrt(Math.min(1, now.limit() / uncut.limit()));
        boolean cured = now.lostShare() < CURED * uncut.lostShare() && now.rate() >= share * uncut.rate();
        boolean swamped = waits && (uncut.mostlyLost() || now.mostlyLost()) && now.allRate() >= share * uncut.allRate();
        if (cured || swamped) {
            return true;
        }
        tolerated = Math.max(uncut.lostShare(), now.lostShare());
        term.begin();
        return false;
    }
}
