package dev.weir.engine;

import dev.weir.spi.Registration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** Immutable lists of listeners, and the registrations that remove a listener. */
final class Listeners {
    private Listeners() {}

    static <T> List<T> with(List<T> list, T added) {
        return Stream.concat(list.stream(), Stream.of(added)).toList();
    }

    static <T> List<T> without(List<T> list, T removed) {
        List<T> rest = new ArrayList<>(list);
        rest.remove(removed);
        return List.copyOf(rest);
    }

    /** An action that is run in the first call in which the condition holds, and never again. */
    static Runnable first(BooleanSupplier condition, Runnable action) {
        AtomicBoolean open = new AtomicBoolean(true);
        return () -> {
            if (condition.getAsBoolean() && open.compareAndSet(true, false)) {
                action.run();
            }
        };
    }

    /** A registration whose first close runs the action; later ones do nothing. */
    static Registration once(Runnable end) {
        return first(() -> true, end)::run;
    }
}
