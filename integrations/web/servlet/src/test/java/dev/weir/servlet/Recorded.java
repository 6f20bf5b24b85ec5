package dev.weir.servlet;

import dev.weir.Outcome;
import dev.weir.Request;
import dev.weir.config.LimiterRegistry;
import dev.weir.config.source.ResourceSource;
import dev.weir.engine.LimiterView;
import dev.weir.named.Names;
import dev.weir.named.status.RegistryObserver;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Registration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The limits of the tests, and what was decided about {@code calls}. */
final class Recorded implements AutoCloseable {
    final LimiterRegistry registry = LimiterRegistry.of(ResourceSource.of(Recorded.class, "limits.yaml"));
    final List<Outcome> outcomes = new CopyOnWriteArrayList<>();

    Recorded() {
        Registration unused = registry.names().observe(new RegistryObserver() {
            @Override
            public Registration onLimiter(LimiterView limiter) {
                return limiter.name().equals("calls") ? limiter.observe(releases()) : () -> {};
            }
        });
    }

    private LimiterObserver releases() {
        return new LimiterObserver() {
            @Override
            public void onReleased(Request request, Outcome outcome, long heldNanos) {
                outcomes.add(outcome);
            }
        };
    }

    Names names() {
        return registry.names();
    }

    long inFlight() {
        return registry.limiter("calls").snapshot().inFlight();
    }

    @Override
    public void close() {
        registry.close();
    }
}
