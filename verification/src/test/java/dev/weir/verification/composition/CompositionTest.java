package dev.weir.verification.composition;

import dev.weir.testkit.CompositionContract;
import org.junit.jupiter.api.Test;

/** Every algorithm inside and beside every other. */
class CompositionTest {
    private static final long STEPS = "long".equals(System.getProperty("weir.stress")) ? 100_000_000 : 1_000_000;

    @Test
    void S1_S11_S13_W5_holdInEveryCombination() {
        CompositionContract contract = new CompositionContract(new Trees(true, true));
        contract.check(STEPS);
        System.out.println(contract);
    }
}
