package dev.weir.verification.composition;

import dev.weir.testkit.CompositionContract;
import dev.weir.testkit.Stress;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every algorithm inside and beside every other. */
@Tag("proof")
@Tag("property")
class CompositionTest {
    @Test
    void S1_S11_S13_W5_K1_holdInEveryCombination() {
        check(new Trees(false));
    }

    /** Limits by names of dimensions come and go beside each other. */
    @Test
    void S1_W5_K1_holdWhateverLimitsCountBy() {
        check(new Trees(true));
    }

    private static void check(Trees trees) {
        CompositionContract contract = new CompositionContract(trees);
        Stress.seconds(2, 60, 1_800).forAll(2_700, contract::check);
        System.out.println(contract);
    }
}
