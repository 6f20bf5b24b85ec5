package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.AsyncLimiter;
import dev.weir.Limiter;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.adaptive.ControlView;
import dev.weir.engine.LimiterView;
import dev.weir.executor.ExecutorLedger;
import dev.weir.named.NamedLimiter;
import dev.weir.named.status.RegistryObserver;
import dev.weir.queue.QueueView;
import dev.weir.spi.Gate;
import dev.weir.spi.Registration;
import dev.weir.store.StoreStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The views that an observer of a registry gets: they read the parts of a name, and nothing that it does changes one. */
class RegistryViewsTest extends RegistryFixture implements RegistryObserver {
    private static final List<Class<?>> WRITERS =
            List.of(AutoCloseable.class, Gate.class, Limiter.class, AsyncLimiter.class, Executor.class);

    private final List<Object> views = new ArrayList<>();
    private final List<Boolean> released = new ArrayList<>();

    private Registration seen(Object view) {
        views.add(view);
        return () -> {};
    }

    @Override
    public Registration onLimiter(LimiterView limiter) {
        assertEquals(limiter.name(), limiter.snapshot().name());
        return seen(limiter);
    }

    @Override
    public Registration onQueue(QueueView queue) {
        assertEquals(queue.name(), queue.snapshot().name());
        Registration unused = queue.observe((request, decision, waited) ->
                released.add(assertInstanceOf(Permit.class, decision).release(Outcome.CANCELLED)));
        return seen(queue);
    }

    @Override
    public Registration onControl(ControlView control) {
        assertEquals("a", control.snapshot().limiter());
        return seen(control);
    }

    @Override
    public Registration onStoreLimiter(String name, Supplier<StoreStatus> status) {
        return seen(status);
    }

    @Override
    public Registration onExecutor(String name, Supplier<ExecutorLedger> ledger) {
        assertEquals(0, ledger.get().submitted());
        return seen(ledger);
    }

    @Test
    void noViewCanBeCastToWhatChangesItsPart() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 4, queue: 1, adaptive: true, executor: 1 } }");
        registry.names().executor("a");
        Registration unused = registry.names().observe(this);
        assertEquals(4, views.size());
        assertEquals(0, registry.status().failures());
        for (Object view : views) {
            for (Class<?> writer : WRITERS) {
                assertFalse(writer.isInstance(view), () -> view.getClass() + " is a " + writer);
            }
        }
    }

    @Test
    void noPermitThatAnObserverIsToldOfIsReleasedByIt() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 1, queue: 1 } }");
        NamedLimiter limiter = registry.limiter("a");
        Registration unused = registry.names().observe(this);
        Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire());
        var waiting = limiter.acquireAsync(Request.ONE);
        held.release(Outcome.SUCCESS);
        Permit granted = assertInstanceOf(Permit.class, waiting.join());
        assertEquals(1, released.size());
        assertEquals(1, limiter.snapshot().inFlight());
        assertTrue(granted.release(Outcome.SUCCESS));
    }
}
