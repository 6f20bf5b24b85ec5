package dev.weir.verification.lincheck;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

/** The search that every model is put through, whether it should hold or not. */
final class Proof {
    private Proof() {}

    /** Two threads of two steps each, from the start: steps before them would only use the permits up. */
    private static ModelCheckingOptions search(Class<?> sequential) {
        return new ModelCheckingOptions()
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(0)
                .iterations(30)
                .invocationsPerIteration(80)
                .sequentialSpecification(sequential);
    }

    /** Every interleaving tried can be explained by the sequential specification. */
    static void holds(Class<?> model, Class<?> sequential) {
        search(sequential).check(model);
    }

    /** The twin breaks in the same search: so the search can find what the model is free of. */
    static void fails(Class<?> brokenTwin, Class<?> sequential) {
        ModelCheckingOptions search = search(sequential).minimizeFailedScenario(false);
        LincheckAssertionError found = assertThrows(LincheckAssertionError.class, () -> search.check(brokenTwin));
        assertTrue(
                found.getMessage().matches("(?s)\\s*= (Invalid execution results|Validation function .*) =.*"),
                found::getMessage);
    }
}
