package dev.weir.adaptive.controller;

import dev.weir.adaptive.Window;
import java.util.Locale;

/**
 * The limit while a controller has no reading of its signal: unchanged for some windows, then lowered by 5 % a window to a safe
 * limit. It is never raised.
 */
final class SignalLoss {
    private static final double LOWERED = 0.95;

    private final String signal;
    private final long safe;
    private final int keptWindows;
    private int missed;

    SignalLoss(String signal, long safe, int keptWindows) {
        this.signal = signal;
        this.safe = safe;
        this.keptWindows = keptWindows;
    }

    /** The reading of the signal; NaN if there is none that can be a load: not finite, or negative. */
    double reading(Window window) {
        double value = window.signal(signal).orElse(Double.NaN);
        if (Double.isFinite(value) && value >= 0) {
            missed = 0;
            return value;
        }
        missed = Math.min(missed + 1, keptWindows + 1);
        return Double.NaN;
    }

    long next(long limit) {
        return missed <= keptWindows || limit <= safe ? limit : Math.max(safe, (long) Math.floor(limit * LOWERED));
    }

    String why(long limit) {
        if (missed <= keptWindows) {
            return "no reading of " + signal + ", kept";
        }
        return "no reading of " + signal + (limit > safe ? ", towards " : ", no lower than ") + safe;
    }

    /** A reading in a few digits, for explanations. */
    static String text(double value) {
        return String.format(Locale.ROOT, value < 1e6 ? "%.2f" : "%.1e", value);
    }
}
