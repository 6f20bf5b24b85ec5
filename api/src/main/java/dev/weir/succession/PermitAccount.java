package dev.weir.succession;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The account of all permits in flight of a limiter: counters in which each permit is counted once, whatever granted it. It goes
 * through every change.
 *
 * @param counters their sum is what is in flight
 * @param ofAll the counters of limits for all that are in force, of which each counts everything; the first is the account
 * @param total the same counters, if grants of limits by key are counted in them; otherwise null
 * @param isInForce whether they also count what is granted from now on
 */
record PermitAccount(
        List<InFlight> counters,
        List<InFlight> ofAll,
        @Nullable KeyedTotal total,
        boolean isInForce) {
    /*
     *     in force now            counters
     *     limits for all          one of them: each counts everything. New ones take over what the account counted
     *     limits by key alone     a total beside them, in which the first of them counts its grants
     *     no concurrency limit    as before, until all is released
     */

    /** Nothing was ever in flight. */
    static final PermitAccount NONE = new PermitAccount(List.of(), List.of(), null, false);

    /**
     * The account when these strategies come into force. Called while nothing is granted.
     *
     * @param isAnyNew whether the counters of these strategies are new, and know of no permit that is in flight
     */
    PermitAccount of(List<PartStrategy> made, boolean isAnyNew) {
        PermitAccount next = next(made, isAnyNew);
        boolean counts = next.total != null;
        for (PartStrategy strategy : made) {
            if (strategy instanceof CountsByKey table) {
                boolean first = counts && strategy.traits().holds();
                table.countIn(next.counters, first ? next.total : null);
                counts &= !first;
            }
        }
        return next;
    }

    private PermitAccount next(List<PartStrategy> made, boolean isAnyNew) {
        List<InFlight> next = made.stream()
                .map(PartStrategy::counter)
                .flatMap(Stream::ofNullable)
                .toList();
        if (!next.isEmpty()) {
            if (isAnyNew) {
                handOver(next);
            }
            end(next);
            return new PermitAccount(List.of(next.get(0)), next, null, true);
        }
        boolean byKey = made.stream()
                .anyMatch(strategy ->
                        strategy instanceof CountsByKey && strategy.traits().holds());
        if (!byKey) {
            end(counters);
            return inFlight() == 0 ? NONE : new PermitAccount(counters, List.of(), total, false);
        }
        if (total != null) {
            return new PermitAccount(counters, List.of(), total, true);
        }
        KeyedTotal begun = new KeyedTotal();
        handOver(List.of(begun.counters().get(0)));
        end(List.of());
        return new PermitAccount(begun.counters(), List.of(), begun, true);
    }

    private void handOver(List<InFlight> successors) {
        counters.forEach(counter -> counter.handOver(successors));
    }

    /* Ends the counters that go out of force, so that no permit of before counts in them any more, except for these. */
    private void end(List<InFlight> except) {
        for (InFlight counter : ofAll) {
            if (!except.contains(counter)) {
                counter.handOver(List.of());
            }
        }
    }

    long inFlight() {
        return InFlight.sum(counters);
    }
}
