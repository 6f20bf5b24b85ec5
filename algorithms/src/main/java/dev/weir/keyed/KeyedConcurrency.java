package dev.weir.keyed;

import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.spi.Traits;
import dev.weir.succession.InFlight;
import dev.weir.succession.KeyedTotal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Limits for each key that hold permits. A permit returns to the strategy that granted it, whatever happened to its key. */
record KeyedConcurrency(KeyTable table) implements KeyedStrategy {
    @Override
    public KeyedRates otherwise() {
        return new KeyedRates(table);
    }

    @Override
    public void countIn(List<InFlight> all, @Nullable KeyedTotal total) {
        table.countIn(all, total);
    }

    @Override
    public Traits traits() {
        return Traits.CONCURRENCY
                .explaining(true)
                .refunding(table.pattern().traits().refunds());
    }

    @Override
    public boolean routes() {
        return true;
    }

    @Override
    public Strategy route(Request request) {
        Object key = table.keyOf(request);
        return key == null ? new WithoutKey(this) : new KeyRoute(table, key);
    }

    @Override
    public long acquire(Request request) {
        long answer = AGAIN;
        while (answer == AGAIN) {
            answer = route(request).acquire(request);
        }
        return answer;
    }

    /** Without its route it is unknown which strategy granted the permit: it returns to the key's present one. */
    @Override
    public void release(Request request, Outcome outcome) {
        Object key = table.keyOf(request);
        if (key != null) {
            table.change(key, strategy -> strategy.release(request, outcome));
            table.released(key);
        }
    }

    @Override
    public boolean refunds(long grantedAt) {
        return true;
    }

    @Override
    public long inFlight() {
        return table.inFlight();
    }

    /** The strategy of requests without a key, all of which it refuses. */
    private record WithoutKey(KeyedConcurrency all) implements Strategy {
        @Override
        public long acquire(Request request) {
            return NEVER;
        }

        @Override
        public Rejection.Reason reason(Request request, long answer) {
            return Rejection.Reason.KEY_MISSING;
        }

        @Override
        public long limit() {
            return all.limit();
        }

        @Override
        public void setLimit(long limit) {}
    }
}
