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
        CompositionContract contract = new CompositionContract(new Trees(true, true));
        Stress.seconds(4, 60, 3_600).forAll(5_400, contract::check);
        System.out.println(contract);
    }
}
