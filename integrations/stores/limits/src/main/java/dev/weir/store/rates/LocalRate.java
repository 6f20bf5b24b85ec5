package dev.weir.store.rates;

import dev.weir.Permit.Quota;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.keyed.Keyed;
import dev.weir.spi.Strategy;
import dev.weir.spi.Traits;
import dev.weir.succession.PartSpec;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A rate for each key, where requests without a key share one rate. */
record LocalRate(Keyed keyed) implements PartSpec {
    private enum None {
        KEY
    }

    @Override
    public Strategy create(Ticker ticker) {
        return new Table(Parts.create(keyed, ticker));
    }

    @Override
    public boolean adjust(Strategy running) {
        return running instanceof Table table && keyed.adjust(table.rates);
    }

    private record Table(PartStrategy rates) implements PartStrategy {
        private static Request withKey(Request request) {
            Object key = request.key();
            return key == null || key.equals("") ? request.withKey(None.KEY) : request;
        }

        @Override
        public long acquire(Request request) {
            return rates.acquire(withKey(request));
        }

        @Override
        public void refund(Request request, long grantedAt) {
            rates.refund(withKey(request), grantedAt);
        }

        @Override
        public @Nullable Quota quota(Request request) {
            return rates.quota(withKey(request));
        }

        @Override
        public Traits traits() {
            return rates.traits();
        }

        @Override
        public Set<Rejection.Reason> reasons() {
            return rates.reasons();
        }

        @Override
        public Rejection.Reason reason(Request request, long answer) {
            return rates.reason(withKey(request), answer);
        }

        @Override
        public long limit() {
            return rates.limit();
        }

        @Override
        public void setLimit(long limit) {
            rates.setLimit(limit);
        }

        @Override
        public Map<String, Long> details() {
            return rates.details();
        }

        @Override
        public void settle() {
            rates.settle();
        }
    }
}
