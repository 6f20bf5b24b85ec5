package dev.weir.adaptive.controller;

import dev.weir.adaptive.Window;

/**
 * A limit above which the server becomes slower, such as one that thrashes: it is not exceeded for a while. That less came
 * out with more inside is a suspicion only. It is dropped if throughput comes back while the crowd is still there: that was
 * a pause. Otherwise it is judged when the crowd has gone: if clearly more comes out now, the ceiling is between the two.
 * When its term ends it is raised by half, so that a server that has grown is found out, step by step.
 */
final class Ceiling {
    private static final double NONE = 1e9;
    private static final double RAISE = 1.5;
    private static final double ALIKE = 2;

    private final Backoff term = new Backoff();
    private double limit = NONE;
    private double between;
    private Throughput fewer = Throughput.NONE;
    private Throughput more = Throughput.NONE;

    /** No limit above this is asked for. */
    double limit() {
        return limit;
    }

    /** The server is not what it was. */
    void lift() {
        limit = NONE;
    }

    /** Less came out with more inside than with fewer; how many that were is the limit of each. */
    void suspect(Throughput withFewer, Throughput withMore) {
        fewer = withFewer;
        more = withMore;
        between = Math.sqrt(Math.max(1, fewer.limit()) * more.limit());
    }

    /**
     * Judges what is suspected by what is seen now.
     *
     * @param steady whether it was measured after the last change of the limit had settled
     */
    void judge(Window window, double variation, boolean steady) {
        if (term.endsAfter(window.nanos()) && limit < NONE) {
            limit = Math.min(NONE, RAISE * limit);
            term.beginBrief();
        }
        if (fewer == Throughput.NONE) {
            return;
        }
        Throughput now = Throughput.of(window);
        if (CongestionDetector.inside(window) >= between) {
            boolean pause = now.done() >= Throughput.FEW && !now.below(fewer, variation, ALIKE);
            fewer = pause ? Throughput.NONE : fewer;
            more = now.done() == 0 ? more.plus(now).under(more.limit()) : more;
        } else if (steady && now.done() + now.lost() > 0) {
            if (more.below(now, variation, Throughput.CLEAR)) {
                limit = Math.max(1, between);
                term.begin();
            }
            fewer = Throughput.NONE;
        }
    }
}
