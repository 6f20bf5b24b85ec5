package dev.weir.spring;

import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

/** How the work of a limited method ends. */
enum CallForm {
    /** When it returns. */
    VALUE,
    /** When the stage that it returns has completed. */
    STAGE;

    /**
     * @throws IllegalArgumentException if the end of its work cannot be seen
     */
    static CallForm of(Method method) {
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
        return VALUE;
    }
}
