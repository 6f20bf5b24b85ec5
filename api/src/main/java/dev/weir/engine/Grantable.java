package dev.weir.engine;

import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A test of a request: whether a new strategy, with nothing in flight or spent, would grant it. Thread-safe. */
final class Grantable implements Predicate<Request> {
    private final StrategySpec spec;
    private final long limit;
    private final Ticker ticker;
    private final Failures failures;

    /** A strategy that has granted nothing, so that many refused requests need only one. */
    private final AtomicReference<@Nullable PartStrategy> idle = new AtomicReference<>();

    Grantable(StrategySpec spec, long limit, Ticker ticker, Failures failures) {
        this.spec = spec;
        this.limit = limit;
        this.ticker = ticker;
        this.failures = failures;
    }

    /** The test of another specification, with this limit. */
    Grantable of(StrategySpec other, long otherLimit) {
        return new Grantable(other, otherLimit, ticker, failures);
    }

    @Override
    public boolean test(Request request) {
        try {
            PartStrategy known = idle.getAndSet(null);
            PartStrategy asked = known == null ? create() : known;
            boolean grants = asked.route(request).acquire(request) >= 0;
            if (!grants) {
                idle.set(asked);
            }
            return grants;
        } catch (Throwable t) {
            failures.ignore(t);
            return false;
        }
    }

    private PartStrategy create() {
        PartStrategy created = Parts.create(spec, ticker);
        Parts.limitIs(created, limit);
        return created;
    }
}
