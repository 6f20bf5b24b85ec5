package dev.weir.testkit;

import dev.weir.engine.Snapshot;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Composition.Figures;
import dev.weir.testkit.Composition.Part;
import dev.weir.testkit.Composition.Rate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The limit of each part of a composition and the figures of its rates, by the specifications and by what was set through
 * dials. By docs/how/changes.md, a part that "is equal to one in force" continues with "the same strategy, unchanged, also
 * if its limit was set by a dial"; one that is adjusted has "the new values", and any other is "a new strategy". So what
 * was set ends with the part, and a part that comes back has the limit of its specification.
 *
 * <p>The limiter is only asked how far a limit has risen that moves by itself, and is not believed beyond its full limit.
 */
final class LimitsInForce {
    private @Nullable Composition composition;
    private List<Part> parts = List.of();
    private long[] full = {};
    private long[] limits = {};
    private @Nullable Figures[] rates = {};
    private boolean isRead;

    /** Another composition is in force. Of equal parts, the first continues the first. */
    void change(Composition next) {
        List<Integer> left =
                new ArrayList<>(IntStream.range(0, parts.size()).boxed().toList());
        List<Held> held = left.stream()
                .map(i -> new Held(Objects.requireNonNull(composition), i))
                .toList();
        long[] nextFull = next.parts().stream().mapToLong(Part::limit).toArray();
        for (int i = 0; i < nextFull.length; i++) {
            for (Integer before : left) {
                if (held.get(before).equals(new Held(next, i))) {
                    nextFull[i] = full[before];
                    left.remove(before);
                    break;
                }
            }
        }
        composition = next;
        parts = next.parts();
        full = nextFull;
        limits = full.clone();
        isRead = false;
        findRates();
    }

    /** A limit of a part, by its number within the part. */
    private record Held(StrategySpec part, long number) {
        Held(Composition of, int limit) {
            this(
                    of.spec().parts().get(place(of, limit)),
                    IntStream.range(0, limit)
                            .filter(other -> place(of, other) == place(of, limit))
                            .count());
        }
    }

    /** The limit of the first part was set. */
    void set(long limit) {
        for (int i = 0; i < full.length; i++) {
            if (parts.get(i).place() == 0 && parts.get(i).first()) {
                full[i] = limit;
                limits[i] = limit;
            }
        }
        isRead = false;
        findRates();
    }

    /** Reads the limits that move by themselves, and tells whether they changed since they were read. */
    boolean readMoved(Snapshot snapshot) {
        long[] before = limits.clone();
        for (int i = 0; i < limits.length; i++) {
            if (parts.get(i).moves()) {
                Composition composition = Objects.requireNonNull(this.composition);
                long told = composition.spec().parts().size() == 1
                        ? snapshot.limit()
                        : Objects.requireNonNull(snapshot.details().get(place(composition, i) + ".limit"));
                limits[i] = Math.min(told, full[i]);
            }
        }
        if (isRead && Arrays.equals(before, limits)) {
            return false;
        }
        isRead = true;
        findRates();
        return true;
    }

    /* Limits by key that count by the same names may have one place. */
    private static int place(Composition of, int limit) {
        List<Part> parts = of.parts();
        int place = parts.get(limit).place();
        if (of.spec().parts().size()
                == parts.stream().mapToInt(Part::place).distinct().count()) {
            return place;
        }
        List<Object> groups = parts.stream()
                .sorted(Comparator.comparingInt(Part::place))
                .map(LimitsInForce::group)
                .distinct()
                .toList();
        return groups.indexOf(group(parts.get(limit)));
    }

    private static Object group(Part part) {
        return part.by() == null ? part.place() : part.by();
    }

    private void findRates() {
        rates = new Figures[limits.length];
        for (int i = 0; i < rates.length; i++) {
            rates[i] = figures(i, limits[i]);
        }
    }

    private @Nullable Figures figures(int part, long limit) {
        return parts.get(part).law() instanceof Rate rate ? rate.by().at(limit, full[part]) : null;
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
            Figures now = rates[i];
            Figures then = figures(i, full[i]);
            risen[i] = now == null || then == null ? null : then.or(now);
        }
        return risen;
    }

    /** Whether a rate may refuse this many permits as more than it can ever grant. */
    boolean isTooLarge(int part, long permits) {
        Rate rate = (Rate) parts.get(part).law();
        long limit = limits[part];
        return permits > rate.by().at(limit, limit).largest()
                || permits > rate.by().at(limit, full[part]).largest();
    }
}
