package dev.weir.spring;

import dev.weir.internal.Require;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;

/** The end of the work of a limited method. */
enum CallForm {
    /** When it returns. */
    VALUE,
    /** When the stage that it returns has completed. */
    STAGE,
    /** When a subscription to the publisher that it returns has ended. */
    PUBLISHER;

    private static final String OPERATOR = "dev.weir.reactor.WeirOperator";
    private static final String COROUTINES = "kotlinx.coroutines.reactor.MonoKt";

    /**
     * @throws IllegalArgumentException if the end of its work cannot be seen
     */
    static CallForm of(Method method, Limited limited) {
        Class<?> type = method.getReturnType();
        if (CompletionStage.class.isAssignableFrom(type)) {
            if (!type.isAssignableFrom(CompletableFuture.class)) {
                throw new IllegalArgumentException(
                        "must return CompletionStage or CompletableFuture, returned " + type.getSimpleName());
            }
            return STAGE;
        }
        if (Future.class.isAssignableFrom(type)) {
            throw new IllegalArgumentException(
                    "must return CompletionStage or CompletableFuture, because a Future does not tell "
                            + "when its work ends, returned " + type.getSimpleName());
        }
        if (KotlinDetector.isSuspendingFunction(method)) {
            // The proxy turns the publisher of such a function into a suspension.
            checkPresent("a suspending function", OPERATOR, "weir-reactor");
            checkPresent("a suspending function", COROUTINES, "kotlinx-coroutines-reactor");
            Require.that(
                    limited.fallback().isEmpty(),
                    "fallback must not be given for a suspending function",
                    limited.fallback());
            return PUBLISHER;
        }
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        if (adapter == null) {
            return VALUE;
        }
        if (!adapter.getDescriptor().isDeferred()) {
            throw new IllegalArgumentException("must return what starts when it is subscribed to, returned "
                    + type.getSimpleName() + ", which has started before");
        }
        checkPresent(type.getSimpleName(), OPERATOR, "weir-reactor");
        return PUBLISHER;
    }

    private static void checkPresent(String returned, String type, String artifact) {
        if (!ClassUtils.isPresent(type, CallForm.class.getClassLoader())) {
            throw new IllegalArgumentException(
                    "must have " + artifact + " on the class path, because it is or returns " + returned);
        }
    }
}
