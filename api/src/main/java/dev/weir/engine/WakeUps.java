package dev.weir.engine;

import dev.weir.Request;
import dev.weir.spi.Registration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

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
    private static final List<Consumer<@Nullable Request>> NONE = List.of();

    private final Failures failures;
    private volatile List<Consumer<@Nullable Request>> registered = NONE;

    WakeUps(Failures failures) {
        this.failures = failures;
    }

    Registration add(Consumer<@Nullable Request> wakeUp) {
        synchronized (this) {
            registered = Listeners.with(registered, wakeUp);
        }
        return Listeners.once(() -> {
            synchronized (this) {
                List<Consumer<@Nullable Request>> rest = Listeners.without(registered, wakeUp);
                registered = rest.isEmpty() ? NONE : rest;
            }
        });
    }

    /** Calls all of them, also if one throws, with the request whose permit was released; null for another event. */
    void run(@Nullable Request released) {
        List<Consumer<@Nullable Request>> all = registered;
        if (all != NONE) {
            run(all, released);
        }
    }

    private void run(List<Consumer<@Nullable Request>> all, @Nullable Request released) {
        for (int i = 0; i < all.size(); i++) {
            try {
                all.get(i).accept(released);
            } catch (Throwable t) {
                failures.ignore(t);
            }
        }
    }
}
