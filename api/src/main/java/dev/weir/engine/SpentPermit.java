package dev.weir.engine;

import dev.weir.Outcome;
import dev.weir.Permit;
import java.util.Objects;

/** The permit of a rate limit. It holds nothing, so all requests share one. */
final class SpentPermit extends Permit {
    static final SpentPermit INSTANCE = new SpentPermit();

    /** In place of a permit that work does not need: what was granted is released to the strategy itself. */
    static final SpentPermit UNMADE = new SpentPermit();

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
