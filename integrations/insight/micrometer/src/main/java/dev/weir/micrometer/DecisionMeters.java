package dev.weir.micrometer;

import dev.weir.Rejection.Reason;
import dev.weir.engine.Counts;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
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

    /** The help text of {@code weir.acquire}. */
    static final String HELP = "Requests, by what was decided";

    private final MeterRegistry registry;
    private final Tags name;
    private final Counts counts;
    private final Map<Reason, Meter> refused = new ConcurrentHashMap<>();
    private final List<Meter> others = new ArrayList<>();
    private volatile boolean isPassedShown;
    private boolean closed;

    DecisionMeters(MeterRegistry registry, Tags name, Counts counts) {
        this.registry = registry;
        this.name = name;
        this.counts = counts;
    }

    static Tags permitted(Tags name) {
        return name.and("outcome", "permitted", "reason", "none");
    }

    static Tags rejected(Tags name, Reason reason) {
        return name.and("outcome", "rejected", "reason", reason.name().toLowerCase(Locale.ROOT));
    }

    /**
     * Shows what may be counted from now on, and hides what may not and was not.
     *
     * @param possible the reasons for which requests may be refused
     * @param passes whether requests over the limit may be let through
     */
    synchronized void show(Set<Reason> possible, boolean passes) {
        if (closed) {
            return;
        }
        if (others.isEmpty()) {
            others.add(counter("weir.acquire", HELP, permitted(name), Counts::admitted));
        }
        if ((passes || counts.passed() > 0) && !isPassedShown) {
            others.add(counter("weir.passed", "Requests over the limit that were let through", name, Counts::passed));
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
            Tags tags = rejected(name, reason);
            refused.put(reason, counter("weir.acquire", HELP, tags, c -> c.refused(reason)));
        }
    }

    private void hide(Reason reason) {
        Meter hidden = refused.remove(reason);
        if (hidden != null && counts.refused(reason) > 0) {
            refused.put(reason, hidden);
        } else if (hidden != null) {
            registry.remove(hidden);
        }
    }

    private Meter counter(String meter, String help, Tags tags, ToDoubleFunction<Counts> count) {
        return FunctionCounter.builder(meter, counts, count)
                .description(help)
                .baseUnit("requests")
                .tags(tags)
                .register(registry);
    }

    boolean isShown(Reason reason) {
        return refused.containsKey(reason);
    }

    boolean isPassedShown() {
        return isPassedShown;
    }

    synchronized void close() {
        closed = true;
        refused.values().forEach(registry::remove);
        refused.clear();
        others.forEach(registry::remove);
    }
}
