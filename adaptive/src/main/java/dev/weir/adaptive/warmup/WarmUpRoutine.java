package dev.weir.adaptive.warmup;

import java.util.Objects;

/** Something to do before an instance takes load: touch an endpoint, fill a cache. Should heed interruption. */
@FunctionalInterface
public interface WarmUpRoutine {
    /** Does it. What it throws is reported and stops nothing. */
    void run() throws Exception;

    /** What it is called in reports. */
    default String name() {
        return getClass().getSimpleName();
    }

    /** A routine with a name. */
    static WarmUpRoutine named(String name, WarmUpRoutine routine) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(routine, "routine");
        return new WarmUpRoutine() {
            @Override
            public void run() throws Exception {
                routine.run();
            }

            @Override
            public String name() {
                return name;
            }
        };
    }
}
