package dev.weir.config.follow;

import dev.weir.config.document.LimitsDocument;
import dev.weir.config.source.Reading;
import dev.weir.named.plan.Problem;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** A document that a source offers, read and checked. In place of the values that are wrong in it are the last good ones. */
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

    static String digest(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** The document in force, with the version that events name, also if it is found again at another revision. */
    record InForce(Offered offered, String version, List<Problem> problems, Instant since, long sinceTicks) {
        long number() {
            return offered.number();
        }

        Reading reading() {
            return offered.reading();
        }

        boolean isSameAs(Reading other, String digest) {
            return offered.digest().equals(digest) && reading().format() == other.format();
        }

        /** The same document, found again. */
        InForce foundAs(Reading other) {
            boolean isLater = other.revision() >= reading().revision() || isOfAnotherEpoch(other);
            Offered found = new Offered(
                    isLater ? other : reading(),
                    offered.digest(),
                    offered.document(),
                    offered.values(),
                    offered.staged());
            return new InForce(found, version, problems, since, sinceTicks);
        }

        /** True if the server was rebuilt since, as far as it says so. */
        boolean isOfAnotherEpoch(Reading other) {
            String epoch = reading().epoch();
            return !epoch.isEmpty() && !other.epoch().isEmpty() && !epoch.equals(other.epoch());
        }
    }
}
