package dev.weir.keyed;

import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.spi.RampProgress;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The strategy of {@link Keyed}: a table of strategies, whose limit is that of each key. */
interface KeyedStrategy extends Strategy {
    KeyTable<?> table();

    /** Continues by another specification, if it is of limits of the same kind (holding or not) by the same keys. */
    default boolean change(StrategySpec perKey, KeyTable.Settings settings) {
        Rule next = table().next(perKey);
        boolean isLike = next.pattern().traits().holds() == traits().holds();
        if (!isLike || !table().isBy(settings.dimension())) {
            return false;
        }
        table().change(settings, next);
        return true;
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
