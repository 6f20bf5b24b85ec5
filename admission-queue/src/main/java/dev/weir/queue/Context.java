package dev.weir.queue;

import io.github.resilience4j.core.ContextPropagator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/** What a submitter's thread carries, put on the worker for the time of a task. */
final class Context {
    private final List<ContextPropagator<Object>> propagators;
    private final Roll roll;

    @SuppressWarnings("unchecked")
    Context(List<? extends ContextPropagator<?>> propagators, Roll roll) {
        this.propagators = (List<ContextPropagator<Object>>) List.copyOf(propagators);
        this.roll = roll;
    }

    /** The same work, with what this thread carries now. */
    <V> Callable<V> around(Callable<V> work) {
        if (propagators.isEmpty()) {
            return work;
        }
        List<Optional<Object>> carried = retrieved();
        return () -> {
            List<Optional<Object>> former = retrieved();
            put(carried);
            try {
                return work.call();
            } finally {
                put(former);
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
            roll.failed();
            return Optional.empty();
        }
    }

    private void put(List<Optional<Object>> values) {
        for (int i = 0; i < values.size(); i++) {
            ContextPropagator<Object> propagator = propagators.get(i);
            Optional<Object> value = values.get(i);
            try {
                (value.isPresent() ? propagator.copy() : propagator.clear()).accept(value);
            } catch (Throwable t) {
                roll.failed();
            }
        }
    }
}
