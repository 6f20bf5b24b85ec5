package dev.weir.testkit;

import dev.weir.Decision;
import dev.weir.Request;
import dev.weir.engine.ManagedLimiter;
import dev.weir.engine.Snapshot;

/** A limiter of the engine, which code reconfigures. */
record EngineSubject(ManagedLimiter engine) implements Composition.Subject {
    @Override
    public Decision tryAcquire(Request request) {
        return engine.tryAcquire(request);
    }

    @Override
    public void change(Composition next) {
        engine.reconfigure(next.spec());
    }

    @Override
    public Snapshot snapshot() {
        return engine.snapshot();
    }
}
