package dev.weir.micrometer;

import dev.weir.Rejection.Reason;
import dev.weir.engine.Counts;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;

/** The series of {@code weir.acquire} and {@code weir.passed} of one limiter in one registry. Thread-safe. */
final class DecisionMeters {
    /*
     * A series is shown while it may count something, and until close once it has: no total becomes smaller. A request counts
     * before it looks whether its series is shown. A change looks at the count after it has hidden a series:
     *
     *     request                          change
     *     counts                           hides the series
     *     is the series shown?             has it counted?
     *       no: shows it                     yes: shows it
     *
     * so one of the two shows it. One thread at a time shows and hides.
     */

    private static final String HELP = "Requests, by what was decided";

    private final Counts counts;
    private final MeterTable<Counts, Counts> meters;
    private final Map<Reason, Meter> refused = new ConcurrentHashMap<>();
    private boolean isPermittedShown;
    private volatile boolean isPassedShown;
    private boolean closed;

    DecisionMeters(MeterRegistry registry, Tags name, Counts counts) {
        this.counts = counts;
        this.meters = new MeterTable<>(registry, name, counts, c -> c);
    }

    static <F> void permitted(MeterTable<?, F> meters, ToDoubleFunction<F> count) {
        meters.counter("weir.acquire", "requests", HELP, count, "outcome", "permitted", "reason", "none");
    }

    static <F> Meter rejected(MeterTable<?, F> meters, Reason reason, ToDoubleFunction<F> count) {
        String tag = reason.name().toLowerCase(Locale.ROOT);
        return meters.counter("weir.acquire", "requests", HELP, count, "outcome", "rejected", "reason", tag);
    }

    /** Shows what may be counted from now on, for these reasons and over the limit, and hides what may not and was not. */
    synchronized void show(Set<Reason> possible, boolean passes) {
        if (closed) {
            return;
        }
        if (!isPermittedShown) {
            permitted(meters, Counts::admitted);
            isPermittedShown = true;
        }
        if ((passes || counts.passed() > 0) && !isPassedShown) {
            meters.counter("weir.passed", "requests", "Requests over the limit that were let through", Counts::passed);
            isPassedShown = true;
        }
        for (Reason reason : Reason.values()) {
            if (possible.contains(reason) || counts.refused(reason) > 0) {
                show(reason);
            } else {
                hide(reason);
            }
        }
    }

    private void show(Reason reason) {
        if (!refused.containsKey(reason)) {
            refused.put(reason, rejected(meters, reason, c -> c.refused(reason)));
        }
    }

    private void hide(Reason reason) {
        Meter hidden = refused.remove(reason);
        if (hidden != null && counts.refused(reason) > 0) {
            refused.put(reason, hidden);
        } else if (hidden != null) {
            meters.remove(hidden);
        }
    }

    boolean isShown(Reason reason) {
        return refused.containsKey(reason);
    }

    boolean isPassedShown() {
        return isPassedShown;
    }

    synchronized void close() {
        closed = true;
        refused.clear();
        meters.close();
    }
}
