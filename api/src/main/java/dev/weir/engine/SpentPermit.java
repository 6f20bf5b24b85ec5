package dev.weir.engine;

import dev.weir.Outcome;
import dev.weir.Permit;
import java.util.Objects;

/** The permit of a rate limit. It holds nothing, so all requests share one. */
final class SpentPermit extends Permit {
    static final SpentPermit INSTANCE = new SpentPermit();

    private SpentPermit() {}

    @Override
    public boolean release(Outcome outcome) {
        Objects.requireNonNull(outcome, "outcome");
        return true;
    }

    @Override
    public String toString() {
        return "Permit[spent]";
    }
}
