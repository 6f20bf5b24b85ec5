package dev.weir.testkit;

import dev.weir.testkit.Composition.Concurrency;
import dev.weir.testkit.Composition.Figures;
import dev.weir.testkit.Composition.Part;
import dev.weir.testkit.RateBounds.InForce;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All grants and changes of one execution, in order, and whether the rates allowed them. When a grant is cancelled, it is
 * removed, and all others are counted again from the start.
 */
final class GrantList {
    interface Event {
        void apply();
    }

    /** One grant. */
    final class Grant implements Event {
        private final long permits;
        private final @Nullable Object key;
        private final long at;
        private final int changesBefore = changes.size();
        private boolean cancelled;

        private Grant(long permits, @Nullable Object key, long at) {
            this.permits = permits;
            this.key = key;
            this.at = at;
        }

        @Override
        public void apply() {
            if (cancelled) {
                return;
            }
            passTo(at);
            ofAll.granted(permits);
            byKey.of(key, counted).granted(permits);
        }
    }

    private record Phase(List<InForce> ofAll, List<InForce> byKey, boolean holdsByKey, long at) {}

    private final List<Event> events = new ArrayList<>();
    private final List<Long> changes = new ArrayList<>();
    private RateBounds ofAll = new RateBounds();
    private RateBoundsByKey byKey = new RateBoundsByKey();
    private long now;
    private long counted;

    /** The clock was moved. A step back counts as 0. */
    void pass(long nanos) {
        now += Math.max(0, nanos);
    }

    /** The specification or the limit was changed from outside. */
    void changed() {
        changes.add(now);
    }

    /** Whether the next change is at the instant of the grant: it is not known then which of them was first. */
    boolean isAtAChange(Grant grant) {
        return grant.changesBefore < changes.size() && changes.get(grant.changesBefore) == grant.at;
    }

    /** Another specification, or other limits, from now on; figures for each part that is a rate. */
    void inForce(List<Part> parts, @Nullable Figures[] rates) {
        boolean holds = parts.stream().anyMatch(part -> part.byKey() && part.law() instanceof Concurrency);
        List<InForce> all = new ArrayList<>();
        List<InForce> each = new ArrayList<>();
        for (int i = 0; i < rates.length; i++) {
            Figures figures = rates[i];
            if (figures != null) {
                (parts.get(i).byKey() ? each : all).add(new InForce(parts.get(i).spec(), figures));
            }
        }
        Phase phase = new Phase(all, each, holds, now);
        add(() -> start(phase));
    }

    /** Counts a grant. */
    Grant granted(long permits, @Nullable Object key) {
        Grant grant = new Grant(permits, key, now);
        add(grant);
        return grant;
    }

    private void add(Event event) {
        events.add(event);
        event.apply();
    }

    /** Removes a grant. */
    void cancelled(Grant grant) {
        grant.cancelled = true;
        ofAll = new RateBounds();
        byKey = new RateBoundsByKey();
        counted = 0;
        events.forEach(Event::apply);
    }

    /** How the last grant for this key exceeded the rates, or an empty text. */
    String excess(@Nullable Object key) {
        String all = ofAll.excess();
        return all.isEmpty() ? byKey.of(key, counted).excess() : all;
    }

    private void start(Phase phase) {
        passTo(phase.at);
        ofAll.change(phase.ofAll, phase.at);
        byKey.change(phase.byKey, phase.holdsByKey, phase.at);
    }

    private void passTo(long at) {
        if (at > counted) {
            ofAll.pass(at - counted, counted);
            byKey.pass(at - counted, counted);
            counted = at;
        }
    }
}
