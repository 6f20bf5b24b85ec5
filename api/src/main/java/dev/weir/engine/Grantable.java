package dev.weir.engine;

import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What a limit can grant with nothing in flight or spent: it asks a new strategy. Thread-safe. */
final class Grantable implements Predicate<Request> {
    private final Engine engine;
    private final StrategySpec spec;
    private final long limit;
    /** One that has granted nothing, so that many requests in vain need one. */
    private final AtomicReference<@Nullable Strategy> idle = new AtomicReference<>();

    Grantable(Engine engine, StrategySpec spec, long limit) {
        this.engine = engine;
        this.spec = spec;
        this.limit = limit;
    }

    @Override
    public boolean test(Request request) {
        try {
            Strategy known = idle.getAndSet(null);
            Strategy asked = known == null ? create() : known;
            boolean grants = asked.route(request).acquire(request) >= 0;
            if (!grants) {
                idle.set(asked);
            }
            return grants;
        } catch (Throwable t) {
            engine.failures.ignore(t);
            return false;
        }
    }

    private Strategy create() {
        Strategy created = spec.create(engine.ticker);
        if (created.target() != limit) {
            created.setLimit(limit);
        }
        return created;
    }
}
