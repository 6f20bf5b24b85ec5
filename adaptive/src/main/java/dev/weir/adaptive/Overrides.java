package dev.weir.adaptive;

import dev.weir.Ticker;
import dev.weir.adaptive.internal.Durations;
import dev.weir.spi.Registration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The bounds in force: the newest override that has not expired, else those of the time of day, else the configured. */
final class Overrides {
    /* Asked at each slice: without an override and a time of day it is one volatile read of each, and no clock. */

    /** Bounds and who wants them. The same object while the same ones are in force. */
    record Terms(Bounds bounds, String name) {
        /** Why the limit moves when these follow those. */
        String after(@Nullable Terms before) {
            if (before == null || before.name.equals(CONFIGURED) || !name.equals(CONFIGURED)) {
                return name + ": into the bounds";
            }
            return before.name + " is over: into the bounds";
        }
    }

    private record Term(Terms terms, long since, long nanos) {
        boolean lasts(long now) {
            return now - since < nanos;
        }
    }

    private static final String CONFIGURED = "adaptive";

    private final Ticker ticker;
    private final @Nullable DailySchedule daily;
    private volatile Terms base;
    private volatile List<Term> terms = List.of();

    Overrides(Bounds base, Ticker ticker, @Nullable DailySchedule daily) {
        this.base = new Terms(base, CONFIGURED);
        this.ticker = ticker;
        this.daily = daily;
    }

    void base(Bounds other) {
        base = new Terms(other, CONFIGURED);
    }

    Registration add(Bounds bounds, Duration duration, String why) {
        Objects.requireNonNull(bounds, "bounds");
        long nanos = Durations.nanos("duration", duration);
        if (why.isBlank()) {
            throw new IllegalArgumentException("why must not be blank, was \"" + why + "\"");
        }
        Term added = new Term(new Terms(bounds, "override: " + why), ticker.read(), nanos);
        synchronized (this) {
            List<Term> more = new ArrayList<>(terms);
            more.add(added);
            terms = List.copyOf(more);
        }
        return () -> remove(added);
    }

    private synchronized void remove(Term ended) {
        terms = terms.stream().filter(term -> term != ended).toList();
    }

    Bounds inForce() {
        return terms().bounds();
    }

    Terms terms() {
        List<Term> all = terms;
        if (all.isEmpty() && daily == null) {
            return base;
        }
        long now = ticker.read();
        for (int i = all.size() - 1; i >= 0; i--) {
            Term term = all.get(i);
            if (term.lasts(now)) {
                return term.terms;
            }
            remove(term);
        }
        Terms ofTheDay = daily == null ? null : daily.at(now);
        return ofTheDay == null ? base : ofTheDay;
    }
}
