package dev.weir.adaptive.controller;

import dev.weir.adaptive.Window;

/**
 * A bound on the number in flight by Little's law: at a throughput {@code X} and an unloaded latency {@code r0}, the server
 * works on {@code x = X r0} calls, and all others wait. The bound is {@code max(2.5 x, x + 3 sqrt x)}.
 */
final class LittleBound {
    private static final double FACTOR = 2.5;
    private static final double ROOTS = 3;
    private static final double WAIT = 1e9;
    private static final double LESS = 0.7;
    private static final double LEAST = 0.5;

    private final LatencyBaseline latencies;
    private Throughput last = Throughput.NONE;
    private Throughput lastButOne = Throughput.NONE;
    private double over;
    private double overFrom;

    LittleBound(LatencyBaseline latencies) {
        this.latencies = latencies;
    }

    static double of(double served) {
        return Math.max(FACTOR * served, served + ROOTS * StrictMath.sqrt(served));
    }

    /** The number being served of which this is the bound. */
    static double served(double bound) {
        double root = (StrictMath.sqrt(ROOTS * ROOTS + 4 * bound) - ROOTS) / 2;
        return Math.min(bound / FACTOR, root * root);
    }

    /** Adds a window that was measured under a steady limit. */
    void add(Throughput steady) {
        lastButOne = last;
        last = steady;
    }

    Throughput last() {
        return last;
    }

    /** The number being served, by the higher throughput of the last two steady windows; 0 if unknown. */
    double served() {
        return Math.max(last.rate(), lastButOne.rate()) * latencies.unloaded();
    }

    boolean isExceeded(Throughput now) {
        return served() > 0 && now.done() > 0 && now.rate() * now.latency() > of(served());
    }

    double raised(double asked, long limit) {
        return served() > 0 && asked > limit ? Math.max((double) limit, Math.min(asked, of(served()))) : asked;
    }

    /**
     * A lower limit if the bound has been exceeded for a second; else the same.
     *
     * @param sure whether the last dip has shown a queue: otherwise the limit is lowered to the half at most
     */
    double lowered(Window window, long limit, boolean sure) {
        if (!isExceeded(Throughput.of(window))) {
            over = 0;
            return (double) limit;
        }
        overFrom = over == 0 ? limit : overFrom;
        over += window.nanos();
        if (over < WAIT) {
            return (double) limit;
        }
        over = 1;
        double least = Math.floor(Math.max(LESS * limit, sure ? 0 : LEAST * overFrom));
        double lower = Math.max(of(served()), least);
        return lower > limit - 1 ? (double) limit : lower;
    }

    /** Starts over: the limit does not bind. */
    void rest() {
        over = 0;
    }
}
