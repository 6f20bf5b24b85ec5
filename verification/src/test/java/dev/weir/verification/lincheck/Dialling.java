package dev.weir.verification.lincheck;

import dev.weir.spi.StrategySpec;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/** Admission while the dial is turned. */
abstract class Dialling extends Admission {
    Dialling(StrategySpec spec, int heldByEach) {
        super(spec, heldByEach);
    }

    @Operation
    public void setLimit(@Param(gen = IntGen.class, conf = "1:3") int limit) {
        limiter.dial().setLimit(limit);
    }

    /** The same, one step at a time. */
    abstract static class Sequential extends Admission.Sequential {
        Sequential(long limit, int heldByEach) {
            super(limit, heldByEach);
        }

        public void setLimit(int limit) {
            limit(limit);
        }
    }
}
