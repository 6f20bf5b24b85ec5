package dev.weir.testservers;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** The condition behind {@link Needs}. */
final class NeedsCondition implements ExecutionCondition {
    private static final String REQUIRED = "required";

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return AnnotationSupport.findAnnotation(context.getElement(), Needs.class)
                .map(Needs::value)
                .map(server -> evaluate(
                        server, server.found().isPresent(), REQUIRED.equals(System.getProperty("weir.servers"))))
                .orElseGet(() -> ConditionEvaluationResult.enabled("needs no server"));
    }

    /** A test of a server that is required runs, and says itself what is missing. */
    static ConditionEvaluationResult evaluate(Server server, boolean found, boolean required) {
        return found || required
                ? ConditionEvaluationResult.enabled(server.program())
                : ConditionEvaluationResult.disabled(Report.MISSING + server.program());
    }
}
