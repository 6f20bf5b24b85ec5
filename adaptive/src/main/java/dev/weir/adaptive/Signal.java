package dev.weir.adaptive;

/**
 * A reading of load from outside the limiter: CPU, memory, the delay of a queue. See {@link
 * dev.weir.adaptive.signal.Signals} for those of the process and its host.
 */
public interface Signal {
    /** The name in windows, explanations and meters. Not null, and the same at each call. */
    String name();

    /**
     * The current value; NaN if there is none, never a made-up 0. Called by one thread at a time, never during an admission.
     * It may throw or hang: then it has no reading until it works again.
     */
    double read();
}
