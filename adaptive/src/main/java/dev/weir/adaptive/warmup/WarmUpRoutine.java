package dev.weir.adaptive.warmup;

import java.util.Objects;

/** Work to do before an instance gets load: call an endpoint, fill a cache. It should end when it is interrupted. */
@FunctionalInterface
public interface WarmUpRoutine {
    /** Runs the routine. What it throws is reported; the other routines run all the same. */
    void run() throws Exception;

    /** The name in reports. Default: the simple name of the class. */
    default String name() {
        return getClass().getSimpleName();
    }

    /** The same routine with this name. */
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
