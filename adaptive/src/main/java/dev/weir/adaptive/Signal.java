package dev.weir.adaptive;

/** A reading of load from outside the limiter: CPU, memory, the delay of a queue. */
public interface Signal {
    /** What it is called in windows, explanations and meters. */
    String name();

    /**
     * The present value; NaN where there is none to be had, never a made-up 0. Called by one thread at a time, never on the
     * way of an admission. May throw or hang: then it is set aside until it is well again.
     */
    double read();
}
