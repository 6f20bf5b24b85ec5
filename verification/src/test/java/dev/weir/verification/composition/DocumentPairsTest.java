package dev.weir.verification.composition;

import dev.weir.testkit.CompositionContract;
import dev.weir.testkit.Stress;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A registry puts pairs of documents in force in turn: no caller gets more than their text says, and none waits longer. */
@Tag("proof")
@Tag("property")
class DocumentPairsTest {
    @Test
    void S1_W5_K1_holdForEveryPairOfDocumentsAtOneInstantAndUnderLoad() {
        Stress.seconds(2, 30, 600).forAll(Stress.of(150, 2_000, 20_000), DocumentPairsTest::check);
    }

    private static void check(SplittableRandom random) {
        CompositionContract contract = new CompositionContract(Documents.draw(random));
        contract.atOneInstant().check(random);
        contract.forwardOnly().check(random);
    }
}
