package dev.weir.executor;

import io.github.resilience4j.core.ContextPropagator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/** The context of a submitter's thread, set on the worker for the time of a task. */
final class CapturedContext {
    private final List<ContextPropagator<Object>> propagators;
    private final Runnable onFailure;

    @SuppressWarnings("unchecked")
    CapturedContext(List<? extends ContextPropagator<?>> propagators, Runnable onFailure) {
        this.propagators = (List<ContextPropagator<Object>>) List.copyOf(propagators);
        this.onFailure = onFailure;
    }

    /** The same work, with the context that this thread has now. */
    <V> Callable<V> wrap(Callable<V> work) {
        if (propagators.isEmpty()) {
            return work;
        }
        List<Optional<Object>> captured = retrieved();
        return () -> {
            List<Optional<Object>> former = retrieved();
            set(captured);
            try {
                return work.call();
            } finally {
                set(former);
            }
        };
    }

    private List<Optional<Object>> retrieved() {
        return propagators.stream().map(this::retrieved).toList();
    }

    private Optional<Object> retrieved(ContextPropagator<Object> propagator) {
        try {
            return propagator.retrieve().get();
        } catch (Throwable t) {
            onFailure.run();
            return Optional.empty();
        }
    }

    private void set(List<Optional<Object>> values) {
        for (int i = 0; i < values.size(); i++) {
            ContextPropagator<Object> propagator = propagators.get(i);
            Optional<Object> value = values.get(i);
            try {
                (value.isPresent() ? propagator.copy() : propagator.clear()).accept(value);
            } catch (Throwable t) {
                onFailure.run();
            }
        }
    }
}
