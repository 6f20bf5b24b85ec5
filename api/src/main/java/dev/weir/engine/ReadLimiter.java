package dev.weir.engine;

import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.ByCost;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The part of a limiter that reads what is in force once, and does not ask again if that is replaced meanwhile. */
interface ReadLimiter extends ManagedLimiter {
    ActiveStrategy active();

    @Override
    default StrategySpec spec() {
        return active().spec;
    }

    @Override
    default boolean holds() {
        return active().holds;
    }

    @Override
    default Set<Rejection.Reason> reasons() {
        return active().strategy.reasons();
    }

    @Override
    default int trackedOneIn() {
        return active().instrumentation.trackOneIn;
    }

    @Override
    default @Nullable Object requestData() {
        return active().instrumentation.requestData();
    }

    @Override
    default double enforced() {
        return active().instrumentation.enforced;
    }

    @Override
    default boolean charge(Request request) {
        Objects.requireNonNull(request, "request");
        ActiveStrategy now = active();
        if (!(now.strategy instanceof ByCost limit)) {
            return false;
        }
        Request counted = now.counted(request);
        return counted != null && limit.charge(counted);
    }

    @Override
    default Permit.@Nullable Quota quota(Request request) {
        ActiveStrategy now = active();
        Request counted = now.counted(request);
        return counted == null ? null : now.strategy.quota(counted);
    }

    @Override
    default @Nullable Object countedBy(Request request) {
        ActiveStrategy now = active();
        Request counted = now.counted(request);
        return counted == null ? null : now.strategy.countedBy(counted);
    }

    @Override
    default void refused(Request request, Rejection rejection) {
        ActiveStrategy now = active();
        now.instrumentation.rejected(now.countedOrSame(request), rejection);
    }

    @Override
    default Predicate<Request> grantable() {
        return active().grantable();
    }

    @Override
    default boolean refusesAlike() {
        ActiveStrategy now = active();
        return now.rule == null && !now.explains;
    }

    @Override
    default boolean holdsUpOthers(Request request, Rejection refused) {
        ActiveStrategy now = active();
        return refused.reason() == Rejection.Reason.RATE && now.lacksForAll(now.countedOrSame(request));
    }
}
