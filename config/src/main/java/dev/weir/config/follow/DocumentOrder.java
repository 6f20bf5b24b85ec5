package dev.weir.config.follow;

import dev.weir.config.follow.Offered.InForce;
import dev.weir.config.source.Reading;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The rules by which a document follows the one in force, by the place of this instance among all, 0 to 100. If an operator has
 * approved it, versions and revisions do not matter.
 */
public record DocumentOrder(Offered next, @Nullable InForce present, double place, boolean approved) {
    /** The largest step of versions: a larger one is taken for a mistake in writing. */
    public static final long LARGEST_STEP = 1_000_000;

    /** The reason for which it waits, because it is for other instances so far; empty = none. */
    String held() {
        double percent = next.document().header().percent();
        return place < percent ? "" : "is held: it is for " + percent + " % of the instances so far";
    }

    /** The warning that belongs to a document which may follow; empty = none. */
    String unusual() {
        return present == null || !isLower(present)
                ? ""
                : "has revision " + next.reading().revision() + " after "
                        + present.reading().revision() + ": the server was rebuilt or restored";
    }

    /** The rule that it breaks; null = it may follow. */
    @Nullable
    String brokenRule() {
        if (!next.reading().isWhole() && !next.document().ended()) {
            return "must end with a newline: it may be half of a document";
        }
        if (present == null || approved) {
            return null;
        }
        return present.number() > 0 ? versionRule(present) : revisionRule(present);
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
            return completes(from.reading())
                    ? null
                    : "must have a higher version than " + old + ", because it says something else";
        }
        return number - old <= LARGEST_STEP
                ? null
                : "must have a version of at most " + (old + LARGEST_STEP) + ", was " + number + "; replaces: " + old
                        + " lets a higher one follow";
    }

    /** True if what is in force was read while this was written. */
    private boolean completes(Reading from) {
        byte[] beginning = from.content();
        return !next.reading().isWhole() && Arrays.mismatch(next.reading().content(), beginning) == beginning.length;
    }

    /* A lower revision comes from a server that lags, or from one that was rebuilt. */
    private @Nullable String revisionRule(InForce from) {
        return isLower(from) && !from.isOfAnotherEpoch(next.reading())
                ? "must have a revision of at least " + from.reading().revision() + ", was "
                        + next.reading().revision() + "; a version in it lets it follow"
                : null;
    }

    private boolean isLower(InForce from) {
        long revision = next.reading().revision();
        return next.number() == 0 && revision >= 0 && revision < from.reading().revision();
    }
}
