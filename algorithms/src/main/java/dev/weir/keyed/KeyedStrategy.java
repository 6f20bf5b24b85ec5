package dev.weir.keyed;

import dev.weir.Permit.Quota;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.ByCost;
import dev.weir.succession.CountsByKey;
import dev.weir.succession.RampProgress;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The strategy of {@link Keyed}: a table of strategies, whose limit is that of each key. There are two kinds, for limits of which
 * a grant holds its permits and for the others.
 */
sealed interface KeyedStrategy extends CountsByKey, ByCost permits KeyedRates, KeyedConcurrency {
    KeyTable table();

    /** Continues by another specification, if a grant holds permits as it does now, and if it counts by the same keys. */
    default boolean change(StrategySpec perKey, KeyTable.Settings settings) {
        Rule next = table().next(perKey);
        if (next.holds() != traits().holds() || !table().isBy(settings.by())) {
            return false;
        }
        table().change(settings, next);
        return true;
    }

    @Override
    default boolean isByCost() {
        return table().pattern() instanceof ByCost cost && cost.isByCost();
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
        reasons.addAll(table().pattern().reasons());
        return reasons;
    }

    @Override
    default long limit() {
        return table().pattern().limit();
    }

    @Override
    default long target() {
        return table().pattern().target();
    }

    @Override
    default @Nullable RampProgress ramp() {
        return table().pattern().ramp();
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
}
