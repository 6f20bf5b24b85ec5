package dev.weir.benchmarks;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;

/** Fails a benchmark that does not measure what its name says. */
final class Expect {
    private Expect() {}

    static Decision admitted(Decision decision) {
        admitted(decision instanceof Permit);
        return decision;
    }

    static Decision refused(Decision decision) {
        refused(!(decision instanceof Permit));
        return decision;
    }

    /** Releases the permit of work that was done. */
    static Decision released(Decision decision) {
        admitted(decision instanceof Permit permit && permit.release(Outcome.SUCCESS));
        return decision;
    }

    static boolean admitted(boolean admitted) {
        if (!admitted) {
            throw new IllegalStateException("refused where every request is to be admitted");
        }
        return true;
    }

    /** Fails unless it was refused. */
    static boolean refused(boolean refused) {
        if (!refused) {
            throw new IllegalStateException("admitted where every request is to be refused");
        }
        return true;
    }
}
