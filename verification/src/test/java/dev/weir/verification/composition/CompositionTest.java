package dev.weir.verification.composition;

import dev.weir.testkit.CompositionContract;
import org.junit.jupiter.api.Test;

/** Every algorithm inside and beside every other. */
class CompositionTest {
    private static final boolean IS_LONG = "long".equals(System.getProperty("weir.stress"));

    @Test
    void S1_S11_S13_W5_holdInEveryCombination() {
        CompositionContract contract = new CompositionContract(new Trees(true, true));
        if (IS_LONG || Long.getLong("seed") != null) {
            contract.check(100_000_000); // other lives each time
        } else {
            contract.check(1_000_000, 1); // the same lives each time
        }
        System.out.println(contract);
    }
}
