package dev.weir.keyed;

import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.spi.Traits;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The route of one request through {@link KeyedConcurrency}: the strategy of its key, to which its permit returns. Used by one
 * thread.
 */
final class KeyRoute implements Strategy {
    private final KeyTable<KeyEntry> table;
    private final Object key;
    private @Nullable KeyEntry entry;
    private @Nullable Strategy asked;

    KeyRoute(KeyTable<KeyEntry> table, Object key) {
        this.table = table;
        this.key = key;
    }

    @Override
    public long acquire(Request request) {
        for (; ; ) {
            KeyEntry now = table.entry(key);
            Strategy own = now.strategy;
            Strategy route = own.traits().routes() ? own.route(request) : own;
            long answer = route.acquire(request);
            if (!now.isRetired()) {
                entry = now;
                asked = route;
                table.record(key, request, answer);
                return answer;
            }
            if (answer == GRANTED) {
                route.release(request, Outcome.CANCELLED);
                now.released(key);
            }
        }
    }

    private Strategy asked() {
        return asked == null ? table.entry(key).strategy : asked;
    }

    @Override
    public void release(Request request, Outcome outcome) {
        asked().release(request, outcome);
        if (entry != null) {
            entry.released(key);
        }
    }

    @Override
    public void refund(Request request, long grantedAt) {
        asked().refund(request, grantedAt);
    }

    @Override
    public Traits traits() {
        Traits own = asked().traits();
        return Traits.CONCURRENCY.refunding(own.refunds()).explaining(own.explains());
    }

    @Override
    public Set<Rejection.Reason> reasons() {
        return asked().reasons();
    }

    @Override
    public Rejection.Reason reason(Request request, long answer) {
        return asked().reason(request, answer);
    }

    @Override
    public long limit() {
        return asked().limit();
    }

    @Override
    public void setLimit(long limit) {
        asked().setLimit(limit);
    }

    @Override
    public long inFlight() {
        return asked().inFlight();
    }
}
