package dev.weir.spring.tests;

import dev.weir.Outcome;
import dev.weir.Request;
import dev.weir.engine.LimiterView;
import dev.weir.named.Names;
import dev.weir.named.status.RegistryObserver;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Registration;
import java.util.ArrayList;
import java.util.List;

/** The outcomes of the permits of all limits, in order. Thread-safe. */
final class Released implements LimiterObserver {
    private final List<Outcome> outcomes = new ArrayList<>();

    static Released of(Names names) {
        Released released = new Released();
        Registration unused = names.observe(new RegistryObserver() {
            @Override
            public Registration onLimiter(LimiterView limiter) {
                return limiter.observe(released);
            }
        });
        return released;
    }

    @Override
    public synchronized void onReleased(Request request, Outcome outcome, long heldNanos) {
        outcomes.add(outcome);
    }

    synchronized List<Outcome> outcomes() {
        return List.copyOf(outcomes);
    }
}
