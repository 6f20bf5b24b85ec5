package dev.weir.config.follow;

import dev.weir.config.source.Reading;
import dev.weir.named.plan.Problem;
import java.time.Instant;
import java.util.List;

/** The document in force, with the version that events name, also if it is found again at another revision. */
public record InForce(Offered offered, String version, List<Problem> problems, Instant since, long sinceTicks) {
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
                isLater ? other : reading(), offered.digest(), offered.document(), offered.values(), offered.staged());
        return new InForce(found, version, problems, since, sinceTicks);
    }

    /** Whether the server was rebuilt since, as far as it says so. */
    boolean isOfAnotherEpoch(Reading other) {
        String epoch = reading().epoch();
        return !epoch.isEmpty() && !other.epoch().isEmpty() && !epoch.equals(other.epoch());
    }
}
