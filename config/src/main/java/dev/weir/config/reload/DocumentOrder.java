package dev.weir.config.reload;

import dev.weir.config.document.DocumentProof;
import dev.weir.config.document.Format;
import dev.weir.config.document.LimitsDocument;
import dev.weir.config.source.Reading;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rules by which a document follows the one in force.
 *
 * @param present the document in force; null = none
 * @param place the position of this instance among all, 0 to 100
 * @param approved whether an operator wants it, whatever versions say
 * @param stayed whether it has been at the source for {@link #STAY}
 * @param returned whether it was in force before the present one
 */
public record DocumentOrder(
        Offered next, @Nullable InForce present, double place, boolean approved, boolean stayed, boolean returned) {
    /** The time for which a document that seems older must stay at the source before it is taken. */
    static final Duration STAY = Duration.ofSeconds(30);

    /** The largest step of versions: a larger one is taken for a mistake in writing. */
    public static final long LARGEST_STEP = 1_000_000;

    private static final int SHOWN = 5;

    /**
     * The answer to whether a document may follow.
     *
     * @param text the rule that it breaks or that holds it; of one that is taken, what is unusual about it; empty = nothing
     */
    record Verdict(Kind kind, String text) {}

    /** The kinds of answers. */
    enum Kind {
        TAKEN,
        REFUSED,
        HELD,
        /** Held until it has stayed at the source for {@link #STAY}. */
        RESTING
    }

    Verdict verdict() {
        String rule = brokenRule();
        if (rule != null) {
            return new Verdict(Kind.REFUSED, rule);
        }
        String hold = hold();
        if (hold != null) {
            return new Verdict(Kind.HELD, hold);
        }
        return present == null ? new Verdict(Kind.TAKEN, "") : rested(present);
    }

    private @Nullable String brokenRule() {
        DocumentProof proof = next.document().proof();
        if (proof == DocumentProof.WRONG_CHECKSUM) {
            return "has a checksum that is not its own: it is damaged, or was edited without renewing it";
        }
        if (present == null) {
            return null;
        }
        if (present.offered().document().proof() == DocumentProof.CHECKSUM && proof != DocumentProof.CHECKSUM) {
            return "must end with a checksum, as the document in force does";
        }
        return approved || present.number() == 0 ? null : versionRule(present);
    }

    private @Nullable String versionRule(InForce from) {
        long old = from.number();
        long number = next.number();
        if (number > 0 && number != old && next.document().header().replaces() == old) {
            return null;
        }
        if (number < old) {
            return "must have a higher version than " + old + ", was " + number + "; replaces: " + old
                    + " lets a lower one follow";
        }
        if (number == old) {
            return !from.proven() || completes(from)
                    ? null
                    : "must have a higher version than " + old + ", because it says something else";
        }
        return number - old <= LARGEST_STEP
                ? null
                : "must have a version of at most " + (old + LARGEST_STEP) + ", was " + number + "; replaces: " + old
                        + " lets a higher one follow";
    }

    /** Whether what is in force may have been the beginning of it. */
    private boolean completes(InForce from) {
        if (next.isMoreThan(from.offered())) {
            return true;
        }
        byte[] content = next.reading().content();
        byte[] beginning = from.reading().content();
        return from.reading().isSettled()
                && content.length > beginning.length
                && Arrays.equals(content, 0, beginning.length, beginning, 0, beginning.length);
    }

    private @Nullable String hold() {
        Reading reading = next.reading();
        LimitsDocument document = next.document();
        if (present != null && document.proof() == DocumentProof.NONE) {
            if (!reading.isWhole()) {
                return "is held until it is known to be whole";
            }
            String missing = reading.isSettled() ? missing(present.offered()) : "";
            if (!missing.isEmpty()) {
                return "is held, because it may be the beginning of one: it lacks " + missing
                        + (reading.format() == Format.YAML ? "; the line ... or a checksum" : "; a checksum")
                        + " at its end proves that it is whole";
            }
        }
        double percent = document.header().percent();
        return place < percent ? null : "is held: it is for " + percent + " % of the instances so far";
    }

    private String missing(Offered from) {
        Set<String> names = next.names();
        Stream<String> limits = from.names().stream().filter(name -> !names.contains(name));
        Stream<String> values = from.values().keySet().stream()
                .filter(key -> !next.values().containsKey(key))
                .sorted()
                .map(key -> Offered.VALUES + key);
        List<String> all = Stream.concat(limits, values).toList();
        return String.join(", ", all.subList(0, Math.min(all.size(), SHOWN))) + (all.size() > SHOWN ? " and more" : "");
    }

    /* A lower revision may come from a server that lags, or from one that was rebuilt. What returns may come from a cache. */
    private Verdict rested(InForce from) {
        Reading reading = next.reading();
        boolean isNumbered = next.number() > 0;
        boolean isLower = !isNumbered
                && reading.revision() >= 0
                && reading.revision() < from.reading().revision();
        boolean isBack = returned && !isNumbered && reading.revision() < 0 && reading.isWhole() && !reading.isSettled();
        String older = isLower
                ? "has revision " + reading.revision() + " after "
                        + from.reading().revision()
                : "has no version and was in force before";
        boolean isDoubtful = isBack || (isLower && !from.isOfAnotherEpoch(reading));
        if (isDoubtful && !stayed && !approved) {
            return new Verdict(Kind.RESTING, "is held until it has stayed for " + STAY.toSeconds() + " s: it " + older);
        }
        return new Verdict(Kind.TAKEN, isLower ? older + ": the server was rebuilt or restored" : "");
    }
}
