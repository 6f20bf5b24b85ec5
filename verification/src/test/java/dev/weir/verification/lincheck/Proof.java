package dev.weir.verification.lincheck;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.succession.SpinPause;
import dev.weir.testkit.Stress;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

/** The search that every model is put through, whether it should hold or not. */
final class Proof {
    private static final int TWIN_FOUND = 30;
    private static final long TEN_MINUTES = 600_000;
    private static final String[] READS_OF_LISTS = {"get", "size", "isEmpty", "hasNext", "next"};

    private Proof() {}

    /**
     * Two threads of two steps each, from the start: steps before them would only use the permits up. What judges the end
     * meets nobody, since both have ended: it is not followed. Nor is a read of a list: one thread uses it, or it never
     * changes, or a lock guards it. How a list is made is followed: else what is in it would count as that of one thread.
     * Nor is a pause, which no thread sees, and whose many rounds look as if it never ended.
     * Where nothing waits while the dial is turned, the wake-ups of waiters meet nobody either.
     *
     * <p>Scenarios are counted, for each search draws the same ones. One interleaving may take long on a busy machine: what
     * hangs without one of its threads at work is found at once.
     */
    private static ModelCheckingOptions search(Class<?> checked, Class<?> sequential, int scenarios) {
        return new ModelCheckingOptions()
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(0)
                .iterations(scenarios)
                .invocationsPerIteration(Stress.of(30, 80, 300))
                .invocationTimeout$lincheck(TEN_MINUTES)
                .addGuarantee(forClasses(model -> true)
                        .methods("checkLine", "checkCapacity")
                        .ignore())
                .addGuarantee(forClasses(Proof::isList).methods(READS_OF_LISTS).ignore())
                .addGuarantee(forClasses(SpinPause.class.getName()::equals)
                        .methods("pause")
                        .ignore())
                .addGuarantee(forClasses(name ->
                                Dialling.class.isAssignableFrom(checked) && name.equals("dev.weir.engine.WakeUps"))
                        .methods("run")
                        .ignore())
                .sequentialSpecification(sequential);
    }

    private static boolean isList(String name) {
        return name.startsWith("java.util.ArrayList") || name.startsWith("java.util.ImmutableCollections.List");
    }

    /** Every interleaving tried can be explained by the sequential specification. */
    static void holds(Class<?> model, Class<?> sequential) {
        search(model, sequential, Stress.of(6, TWIN_FOUND, 100)).check(model);
    }

    /**
     * The twin breaks in the same search, but for a smoke run, which is too short to find all twins: so the search can find
     * what the model is free of.
     */
    static void fails(Class<?> brokenTwin, Class<?> sequential) {
        ModelCheckingOptions search = search(brokenTwin, sequential, TWIN_FOUND).minimizeFailedScenario(false);
        LincheckAssertionError found = assertThrows(LincheckAssertionError.class, () -> search.check(brokenTwin));
        assertTrue(
                found.getMessage().matches("(?s)\\s*= (Invalid execution results|Validation function .*) =.*"),
                found::getMessage);
    }
}
