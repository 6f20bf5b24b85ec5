package dev.weir.named.backend;

import dev.weir.Decision;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.Closed;
import dev.weir.named.backend.KeyRule.Values;
import dev.weir.spi.StrategySpec;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The backend of a name at present, and the key that its requests must have; null = none. */
public record Answering(
        String name, Backend backend, @Nullable KeyRule keys) {
    /* Stands for a request that lacks its key. */
    private static final Request KEYLESS = Request.forKey("");

    /** The same, or with the key that its limiter has requests counted by now, whether or not that is published. */
    Answering now() {
        KeyRule present = backend.keys(keys);
        return present == keys ? this : new Answering(name, backend, present);
    }

    /** The request as it is counted, for {@link #decider} and what that is asked. */
    Request counted(Request request) {
        Request counted = backend.counted(Values.of(name, request), keys);
        return counted == null ? KEYLESS : counted;
    }

    /** The backend, or what answers in its place if the counted request lacks the key. */
    Backend decider(Request counted) {
        return counted == KEYLESS ? new Keyless(withoutKey()) : backend;
    }

    private Decision withoutKey() {
        return Objects.requireNonNull(keys).withoutKey(name);
    }

    private record Keyless(Decision decision) implements Backend {
        @Override
        public Decision tryAcquire(Request request, boolean isUndone) {
            return decision;
        }

        @Override
        public StrategySpec spec() {
            return new Closed();
        }

        @Override
        public boolean isReplacedBy(Backend other) {
            return true;
        }
    }

    boolean refusesKeyOf(Request request) {
        return KeyRule.counted(Values.of(name, request), keys) == null && withoutKey() instanceof Rejection;
    }

    /** A request for one permit with the key of these values. Throws if a cost is less than 1, or of another name. */
    public Request request(Function<String, @Nullable String> dimensions, Map<String, Long> costs) {
        if (!costs.isEmpty()) {
            check(costs);
        }
        Values values = new Values(dimensions, costs);
        backend.read(values, keys);
        return Request.forKey(values);
    }

    private void check(Map<String, Long> costs) {
        List<String> names = backend.names(name);
        costs.forEach((each, cost) -> {
            if (cost < 1 || !names.contains(each)) {
                throw new IllegalArgumentException(
                        "costs must be >= 1 and of " + names + ", was " + cost + " of " + each);
            }
        });
    }
}
