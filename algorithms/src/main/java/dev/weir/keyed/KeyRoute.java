package dev.weir.keyed;

import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.spi.Traits;
import dev.weir.succession.ByCost;
import dev.weir.succession.InFlight;
import dev.weir.succession.KeyedTotal;
import dev.weir.succession.PartStrategy;
import org.jspecify.annotations.Nullable;

/** The route of one request: the strategy of its key, to which its permit returns. Used by one thread. */
final class KeyRoute implements Strategy, ByCost {
    private final KeyTable table;
    private final Object key;
    private @Nullable Strategy asked;
    private @Nullable InFlight counted;

    KeyRoute(KeyTable table, Object key) {
        this.table = table;
        this.key = key;
    }

    @Override
    public long acquire(Request request) {
        for (; ; ) {
            KeyEntry entry = table.entry(key);
            PartStrategy own = entry.strategy();
            if (!table.rule().holds()) {
                return UNAVAILABLE; // it is being replaced by a rate
            }
            Strategy route = own.routes() ? own.route(request) : own;
            long answer = ask(route, request);
            boolean counts = table.counts(key, entry, own);
            if (answer == GRANTED && !(counts && isCounted(request))) {
                route.release(request, Outcome.CANCELLED);
                table.released(key);
                answer = counts ? UNTIL_RELEASE : PartStrategy.AGAIN;
            }
            if (counts) {
                asked = route;
                table.record(key, request, answer);
                return answer;
            }
            if (answer == PartStrategy.AGAIN) {
                return answer;
            }
        }
    }

    /* A key that is evicted meanwhile is retained if it seems to be in use. */
    private long ask(Strategy route, Request request) {
        long answer = UNAVAILABLE;
        try {
            answer = route.acquire(request);
            return answer;
        } finally {
            if (answer != GRANTED) {
                table.released(key);
            }
        }
    }

    private boolean isCounted(Request request) {
        KeyedTotal total = table.total();
        if (total == null) {
            return true;
        }
        counted = total.count(request.permits());
        return counted != null;
    }

    private Strategy asked() {
        return asked == null ? table.quoted(key) : asked;
    }

    @Override
    public void release(Request request, Outcome outcome) {
        try {
            asked().release(request, outcome);
        } finally {
            if (counted != null) {
                counted.release(request.permits());
            }
            table.released(key);
        }
    }

    @Override
    public void refund(Request request, long grantedAt) {
        asked().refund(request, grantedAt);
    }

    @Override
    public boolean isByCost() {
        return asked() instanceof ByCost cost && cost.isByCost();
    }

    @Override
    public boolean charge(Request request) {
        return asked() instanceof ByCost cost && cost.charge(request);
    }

    @Override
    public void refundCost(Request back, long grantedAt) {
        if (asked() instanceof ByCost cost) {
            cost.refundCost(back, grantedAt);
        }
    }

    @Override
    public Traits traits() {
        Traits own = asked().traits();
        return Traits.CONCURRENCY.refunding(own.refunds()).explaining(own.explains());
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
}
