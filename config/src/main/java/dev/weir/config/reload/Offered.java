package dev.weir.config.reload;

import dev.weir.config.document.LimitPlan;
import dev.weir.config.document.LimitsDocument;
import dev.weir.config.document.Problem;
import dev.weir.config.source.Reading;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A document that a source offers, read and checked.
 *
 * @param digest of the bytes
 * @param values those of the document and, of those that are wrong in it, the last good ones
 * @param staged whether it is, or has a limit that is, for a part of the instances
 */
record Offered(Reading reading, String digest, LimitsDocument document, Map<String, String> values, boolean staged) {
    static final String VALUES = "values.";

    private static final int DIGITS = 12;

    static Offered of(
            Reading reading,
            String digest,
            LimitsDocument document,
            Map<String, String> valuesInForce,
            boolean staged) {
        Set<String> unreadable = document.problems().stream()
                .map(Problem::field)
                .filter(field -> field.startsWith(VALUES))
                .map(field -> field.substring(VALUES.length()))
                .collect(Collectors.toSet());
        Map<String, String> values = new HashMap<>(document.values());
        unreadable.forEach(key -> valuesInForce.forEach((old, text) -> {
            if (old.equals(key) || old.startsWith(key + ".") || old.startsWith(key + "[")) {
                values.put(old, text);
            }
        }));
        return new Offered(reading, digest, document, Map.copyOf(values), staged);
    }

    /** A document that states no version: by its revision at the source, or by its digest; empty = there is none. */
    static String version(Reading reading, String digest) {
        if (reading.isAbsent()) {
            return "";
        }
        return reading.revision() >= 0 ? "r" + reading.revision() : digest.substring(0, DIGITS);
    }

    String version() {
        return number() > 0 ? Long.toString(number()) : version(reading, digest);
    }

    /** The version that it states; 0 = none. */
    long number() {
        return document.header().version();
    }

    /** The names of all its limits, also of those that are wrong, and those that it removes. */
    Set<String> names() {
        Set<String> names = new TreeSet<>(document.limits().keySet());
        names.addAll(document.faulty());
        names.addAll(document.removed());
        return names;
    }

    /** Whether it says all that the other one says, unchanged, and more. */
    boolean isMoreThan(Offered other) {
        Map<String, LimitPlan> limits = document.limits();
        return size() > other.size()
                && names().containsAll(other.names())
                && document.values()
                        .entrySet()
                        .containsAll(other.document.values().entrySet())
                && other.document.limits().values().stream().allMatch(old -> {
                    LimitPlan plan = limits.get(old.name());
                    return plan != null
                            && plan.settings()
                                    .entrySet()
                                    .containsAll(old.settings().entrySet());
                });
    }

    private int size() {
        return document.values().size()
                + document.limits().values().stream()
                        .mapToInt(plan -> 1 + plan.settings().size())
                        .sum();
    }
}
