package dev.weir.engine;

import dev.weir.spi.Registration;
import java.util.List;

/** The listeners that are called after every event after which a refused request may be granted. Thread-safe. */
final class WakeUps {
    /*
     * No wake-up is lost. A waiter registers, then tries once more; a releaser returns the permits, then reads the list:
     *
     *     waiter                         releaser
     *     registered += waiter           strategy.release (a CAS)
     *     strategy.acquire               reads registered
     *
     * Both writes are volatile, so in every order one of the two reads sees the other's write.
     */
    private static final List<Runnable> NONE = List.of();

    private final Failures failures;
    private volatile List<Runnable> registered = NONE;

    WakeUps(Failures failures) {
        this.failures = failures;
    }

    Registration add(Runnable wakeUp) {
        synchronized (this) {
            registered = Listeners.with(registered, wakeUp);
        }
        return Listeners.once(() -> {
            synchronized (this) {
                List<Runnable> rest = Listeners.without(registered, wakeUp);
                registered = rest.isEmpty() ? NONE : rest;
            }
        });
    }

    /** Calls all of them, also if one throws. */
    void run() {
        List<Runnable> all = registered;
        if (all != NONE) {
            run(all);
        }
    }

    private void run(List<Runnable> all) {
        for (int i = 0; i < all.size(); i++) {
            try {
                all.get(i).run();
            } catch (Throwable t) {
                failures.ignore(t);
            }
        }
    }
}
