package dev.weir.testservers;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** The condition behind {@link Needs}. */
final class NeedsCondition implements ExecutionCondition {
    /** The reason of a skipped test is one of the last lines of {@code ./weir test}. */
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return AnnotationSupport.findAnnotation(context.getElement(), Needs.class)
                .map(Needs::value)
                .filter(server -> server.found().isEmpty())
                .map(server -> ConditionEvaluationResult.disabled("this machine has no " + server.program()))
                .orElseGet(() -> ConditionEvaluationResult.enabled("needs no server that is missing"));
    }
}
