package dev.weir.adaptive.controller;

import dev.weir.adaptive.Window;
import java.util.Locale;

/**
 * What a controller does without its signal: keeps the limit for some windows, then lowers it gently to a safe one, and no
 * further. It never raises it.
 */
final class SignalLoss {
    private static final double GENTLY = 0.95;

    private final String signal;
    private final long safe;
    private final int patience;
    private int missed;

    SignalLoss(String signal, long safe, int patience) {
        this.signal = signal;
        this.safe = safe;
        this.patience = patience;
    }

    /** The signal's reading, which ends the absence; NaN if there is none that could be a load: not finite, or negative. */
    double reading(Window window) {
        double value = window.signal(signal).orElse(Double.NaN);
        if (Double.isFinite(value) && value >= 0) {
            missed = 0;
            return value;
        }
        missed = Math.min(missed + 1, patience + 1);
        return Double.NaN;
    }

    /** The next limit while the signal is away. */
    long next(long limit) {
        return missed <= patience || limit <= safe ? limit : Math.max(safe, (long) Math.floor(limit * GENTLY));
    }

    String why(long limit) {
        if (missed <= patience) {
            return "no reading of " + signal + ", kept";
        }
        return "no reading of " + signal + (limit > safe ? ", towards " : ", no lower than ") + safe;
    }

    /** A reading in a few digits. */
    static String text(double value) {
        return String.format(Locale.ROOT, value < 1e6 ? "%.2f" : "%.1e", value);
    }
}
