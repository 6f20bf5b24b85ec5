package dev.weir.testkit;

import dev.weir.Request;
import dev.weir.testkit.Composition.By;
import dev.weir.testkit.Composition.Figures;
import dev.weir.testkit.Composition.Part;
import dev.weir.testkit.RateBounds.InForce;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
        private final Request request;
        private final long at;
        private final int changesBefore = changes.size();
        private boolean cancelled;
        private boolean settled;
        private long cost;

        private Grant(Request request, long at) {
            this.request = request;
            this.at = at;
            this.cost = request.amount();
        }

        boolean isSettled() {
            return settled;
        }

        @Override
        public void apply() {
            if (cancelled) {
                return;
            }
            passTo(at);
            ofAll.granted(request.permits(), cost);
            byKey.granted(request, cost, counted);
        }
    }

    private record Phase(List<InForce> ofAll, Map<By, List<InForce>> byKey, long at) {}

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
        List<InForce> all = new ArrayList<>();
        Map<By, List<InForce>> each = new LinkedHashMap<>();
        for (int i = 0; i < rates.length; i++) {
            Figures figures = rates[i];
            if (figures != null) {
                By by = parts.get(i).by();
                List<InForce> account = by == null ? all : each.computeIfAbsent(by, first -> new ArrayList<>());
                account.add(
                        new InForce(parts.get(i).spec(), figures, parts.get(i).isByCost()));
            }
        }
        Phase phase = new Phase(all, each, now);
        add(() -> start(phase));
    }

    /** Counts a grant. */
    Grant granted(Request request) {
        Grant grant = new Grant(request, now);
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
        countAgain();
    }

    /** A grant has cost this much. What is more was not granted but charged. */
    void settled(Grant grant, long actual) {
        grant.settled = true;
        if (actual < grant.cost) {
            grant.cost = actual;
            countAgain();
        }
    }

    private void countAgain() {
        ofAll = new RateBounds();
        byKey = new RateBoundsByKey();
        counted = 0;
        events.forEach(Event::apply);
    }

    /** How the last grant of a request like this one exceeded the rates, or an empty text. */
    String excess(Request request) {
        String all = ofAll.excess();
        return all.isEmpty() ? byKey.excess(request, counted) : all;
    }

    private void start(Phase phase) {
        passTo(phase.at);
        ofAll.change(phase.ofAll, phase.at);
        byKey.change(phase.byKey, phase.at);
    }

    private void passTo(long at) {
        if (at > counted) {
            ofAll.pass(at - counted, counted);
            byKey.pass(at - counted, counted);
            counted = at;
        }
    }
}
