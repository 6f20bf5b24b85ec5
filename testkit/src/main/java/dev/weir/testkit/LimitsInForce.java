package dev.weir.testkit;

import dev.weir.engine.Snapshot;
import dev.weir.testkit.Composition.Figures;
import dev.weir.testkit.Composition.Part;
import dev.weir.testkit.Composition.Rate;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The limit of each part of a composition, as the limiter reports it, and the figures of its rates. */
final class LimitsInForce {
    /* A limit that rises may rise to any value that was set, because that may have been set for this or an equal part. */
    private final Set<Long> everSet = new HashSet<>();
    private long[] limits = {};
    private @Nullable Figures[] rates = {};
    private List<Part> parts = List.of();
    private @Nullable Composition asRead;

    /** The limit of the first part was set. */
    void set(long limit) {
        everSet.add(limit);
        asRead = null;
    }

    /** Reads the limits, and tells whether they changed. */
    boolean read(Composition composition, Snapshot snapshot) {
        int places = composition.spec().parts().size();
        long[] now = new long[composition.parts().size()];
        for (int i = 0; i < now.length; i++) {
            Part part = composition.parts().get(i);
            long atPlace = places == 1
                    ? snapshot.limit()
                    : Objects.requireNonNull(snapshot.details().get(part.place() + ".limit"));
            now[i] = part.first() ? atPlace : part.limit();
        }
        if (composition == asRead && Arrays.equals(now, limits)) {
            return false;
        }
        asRead = composition;
        parts = composition.parts();
        limits = now;
        rates = new Figures[now.length];
        for (int i = 0; i < now.length; i++) {
            rates[i] = figures(parts.get(i), now[i], composition.moves());
        }
        return true;
    }

    private @Nullable Figures figures(Part part, long limit, boolean moves) {
        if (!(part.law() instanceof Rate rate)) {
            return null;
        }
        Figures known = rate.by().at(limit, Math.max(limit, part.limit()));
        for (long full : moves ? everSet : Set.<Long>of()) {
            known = full < limit ? known : known.or(rate.by().at(limit, full));
        }
        return known;
    }

    long[] all() {
        return limits;
    }

    long of(int part) {
        return limits[part];
    }

    /** For each part; null for one that is not a rate. */
    @Nullable
    Figures[] rates() {
        return rates;
    }

    /** The same when all that rises has risen. */
    @Nullable
    Figures[] ratesOnceRisen() {
        @Nullable Figures[] risen = rates.clone();
        for (int i = 0; i < risen.length; i++) {
            long max = Math.max(limits[i], parts.get(i).limit());
            for (long other : everSet) {
                max = Math.max(max, other);
            }
            Figures now = rates[i];
            Figures then = figures(parts.get(i), max, true);
            risen[i] = now == null || then == null ? null : then.or(now);
        }
        return risen;
    }

    /** Whether a rate may refuse this many permits as more than it can ever grant. */
    boolean isTooLarge(int part, long permits) {
        Rate rate = (Rate) parts.get(part).law();
        long limit = limits[part];
        boolean isTooLarge = permits > rate.by().at(limit, limit).largest()
                || permits
                        > rate.by()
                                .at(limit, Math.max(limit, parts.get(part).limit()))
                                .largest();
        for (long full : everSet) {
            isTooLarge |= full >= limit && permits > rate.by().at(limit, full).largest();
        }
        return isTooLarge;
    }
}
