package dev.weir.testservers;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** The condition behind {@link Needs}. */
final class NeedsCondition implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return AnnotationSupport.findAnnotation(context.getElement(), Needs.class)
                .map(needs -> evaluate(
                        needs.value(), System.getProperty("weir.servers", "").equals("required")))
                .orElseGet(() -> ConditionEvaluationResult.enabled("needs no server"));
    }

    /** Whether required or not, what is here is used. */
    private static ConditionEvaluationResult evaluate(Server server, boolean required) {
        return required || server.found().isPresent()
                ? ConditionEvaluationResult.enabled(server.program())
                : ConditionEvaluationResult.disabled(Report.MISSING + server.program());
    }
}
