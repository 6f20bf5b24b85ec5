package dev.weir.verification.lincheck;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.testkit.Stress;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

/** The search that every model is put through, whether it should hold or not. */
final class Proof {
    private static final int TWIN_FOUND = 30;

    private Proof() {}

    /**
     * Two threads of two steps each, from the start: steps before them would only use the permits up. What judges the end
     * runs when both have ended, and meets nobody: it is not followed step by step.
     */
    private static ModelCheckingOptions search(Class<?> sequential, int scenarios) {
        return new ModelCheckingOptions()
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(0)
                .iterations(scenarios)
                .invocationsPerIteration(Stress.of(30, 80, 300))
                .addGuarantee(forClasses(model -> true)
                        .methods("checkLine", "checkCapacity")
                        .ignore())
                .sequentialSpecification(sequential);
    }

    /** Every interleaving tried can be explained by the sequential specification. */
    static void holds(Class<?> model, Class<?> sequential) {
        search(sequential, Stress.of(6, TWIN_FOUND, 100)).check(model);
    }

    /**
     * The twin breaks in the same search, but for a smoke run, which is too short to find all twins: so the search can find
     * what the model is free of.
     */
    static void fails(Class<?> brokenTwin, Class<?> sequential) {
        ModelCheckingOptions search = search(sequential, TWIN_FOUND).minimizeFailedScenario(false);
        LincheckAssertionError found = assertThrows(LincheckAssertionError.class, () -> search.check(brokenTwin));
        assertTrue(
                found.getMessage().matches("(?s)\\s*= (Invalid execution results|Validation function .*) =.*"),
                found::getMessage);
    }
}
