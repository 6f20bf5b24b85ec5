package dev.weir.verification.composition;

import dev.weir.testkit.CompositionContract;
import dev.weir.testkit.Stress;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every algorithm inside and beside every other: in a smoke run the same histories each time, else others. */
@Tag("proof")
class CompositionTest {
    @Test
    void S1_S11_S13_W5_K1_holdInEveryCombination() {
        CompositionContract contract = new CompositionContract(new Trees(true, true));
        if (Stress.asked() == Stress.SMOKE && Long.getLong("seed") == null) {
            contract.check(1_000_000, 1);
        } else {
            contract.check(Stress.of(1_000_000, 5_000_000, 100_000_000));
        }
    }
}
