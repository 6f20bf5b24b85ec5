package dev.weir.keyed;

import dev.weir.Outcome;
import dev.weir.Permit.Quota;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Traits;
import dev.weir.succession.ByCost;
import dev.weir.succession.CountsByKey;
import dev.weir.succession.InFlight;
import dev.weir.succession.KeyedTotal;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.RampProgress;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The strategy of {@link Keyed}, whose limit is that of each key: one kind if a grant holds its permits, another if not. */
sealed interface KeyedStrategy extends CountsByKey, ByCost {
    KeyTable table();

    /** Continues by another specification, if a grant holds permits as it does now, and if it counts by the same keys. */
    default boolean change(StrategySpec perKey, KeyTable.Settings settings) {
        Rule next = table().rule().next(perKey);
        if (next.holds() != traits().holds() || !table().isBy(settings.by())) {
            return false;
        }
        table().change(settings, next);
        return true;
    }

    @Override
    default boolean isByCost() {
        return table().rule().pattern() instanceof ByCost cost && cost.isByCost();
    }

    @Override
    default boolean charge(Request request) {
        return isByCost() && changeByCost(request, cost -> cost.charge(request));
    }

    /** True if what was granted at this reading is refunded to the present strategy of its key. */
    boolean refunds(long grantedAt);

    @Override
    default void refund(Request request, long grantedAt) {
        if (refunds(grantedAt)) {
            change(request, strategy -> strategy.refund(request, grantedAt));
        }
    }

    @Override
    default void refundCost(Request back, long grantedAt) {
        if (refunds(grantedAt)) {
            changeByCost(back, cost -> cost.refundCost(back, grantedAt));
        }
    }

    private boolean changeByCost(Request request, Consumer<ByCost> action) {
        return change(request, strategy -> {
            if (strategy instanceof ByCost cost) {
                action.accept(cost);
            }
        });
    }

    /** Applies the action to the strategy of the key of a request, under its lock; false if it has no key. */
    default boolean change(Request request, Consumer<Strategy> action) {
        Object key = table().keyOf(request);
        if (key != null) {
            table().change(key, action);
        }
        return key != null;
    }

    @Override
    default @Nullable Quota quota(Request request) {
        Object key = table().keyOf(request);
        return key == null ? null : table().quoted(key).quota(request);
    }

    @Override
    default @Nullable Object countedBy(Request request) {
        return table().keyOf(request);
    }

    @Override
    default void settle() {
        table().settle();
    }

    @Override
    default Set<Reason> reasons() {
        Set<Reason> reasons = EnumSet.of(Reason.KEY_MISSING);
        reasons.addAll(table().rule().pattern().reasons());
        return reasons;
    }

    @Override
    default long limit() {
        return table().rule().pattern().limit();
    }

    @Override
    default long target() {
        return table().rule().pattern().target();
    }

    @Override
    default @Nullable RampProgress ramp() {
        return table().rule().pattern().ramp();
    }

    @Override
    default void setLimit(long limit) {
        table().setLimit(limit);
        settle();
    }

    @Override
    default Map<String, Long> details() {
        return table().details();
    }

    /** Rates for each key. A grant holds nothing, so no permit needs the strategy of its key. */
    record Rates(KeyTable table) implements KeyedStrategy {
        /*
         * A grant counts only if it was taken before its entry was retired:
         *
         *     request                              eviction, under the key's lock
         *     reads the strategy of the entry
         *                                          strategy of the entry := RETIRED
         *                                          reads what was used and saves it
         *     acquires, too late
         *     reads the strategy again: RETIRED
         *
         * Then the request waits for the key's lock. If the key still has this strategy, that was only a change in place. If it has
         * not, the grant was lost, and it asks the new one, which has the saved debt. A rejection by a strategy that was retired
         * meanwhile is tried again in the same way.
         */
        @Override
        public long acquire(Request request) {
            Object key = table.keyOf(request);
            if (key == null) {
                return NEVER;
            }
            for (; ; ) {
                KeyEntry entry = table.entry(key);
                PartStrategy strategy = entry.strategy();
                if (table.rule().holds()) {
                    return UNAVAILABLE; // it is being replaced by a limit that holds
                }
                long answer = strategy.acquire(request);
                if (table.counts(key, entry, strategy)) {
                    table.reduce(key, strategy);
                    table.record(key, request, answer);
                    return answer;
                }
            }
        }

        /**
         * Nothing that was granted before the last change, because the key may have another strategy since. What an evicted key had
         * used stays in the sketch, so the refund of a grant from before holds only until the next eviction.
         */
        @Override
        public boolean refunds(long grantedAt) {
            return table.rule().began(grantedAt);
        }

        @Override
        public Concurrency otherwise() {
            return new Concurrency(table);
        }

        @Override
        public void countIn(List<InFlight> all, @Nullable KeyedTotal total) {}

        /** The rejection of one key does not imply the rejection of another. */
        @Override
        public Traits traits() {
            return Traits.RATE.explaining(true);
        }

        @Override
        public Reason reason(Request request, long answer) {
            return table.keyOf(request) == null
                    ? Reason.KEY_MISSING
                    : table.rule().pattern().reason(request, answer);
        }
    }

    /** Limits for each key that hold permits. A permit returns to the strategy that granted it, whatever happened to its key. */
    record Concurrency(KeyTable table) implements KeyedStrategy {
        @Override
        public Rates otherwise() {
            return new Rates(table);
        }

        @Override
        public void countIn(List<InFlight> all, @Nullable KeyedTotal total) {
            table.countIn(all, total);
        }

        @Override
        public Traits traits() {
            return Traits.CONCURRENCY
                    .explaining(true)
                    .refunding(table.rule().pattern().traits().refunds());
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
        private record WithoutKey(Concurrency all) implements Strategy {
            @Override
            public long acquire(Request request) {
                return NEVER;
            }

            @Override
            public Reason reason(Request request, long answer) {
                return Reason.KEY_MISSING;
            }

            @Override
            public long limit() {
                return all.limit();
            }

            @Override
            public void setLimit(long limit) {}
        }
    }
}
