package dev.weir.named.backend;

import dev.weir.Request;
import dev.weir.named.plan.LimitPlan;
import dev.weir.share.Instances;
import dev.weir.spi.StrategySpec;
import dev.weir.store.Mode;
import dev.weir.store.Store;
import dev.weir.store.StoreLimiter;
import dev.weir.store.WhenAway;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The store of a registry for limits that are counted for all instances, and what knows how many there are, as code gives them. */
public record GivenStore(@Nullable Store store, @Nullable Instances instances) {
    public static final GivenStore NONE = new GivenStore(null, null);

    /** A limiter over the store; throws if there is none, or it cannot count such a limit. */
    StoreLimiter limiter(String name, Setup setup) {
        if (store == null) {
            throw new IllegalArgumentException("scope must be local, because code gives the registry no store");
        }
        return Objects.requireNonNull(store.limiter(name, setup.spec, setup.mode, setup.whenAway), "limiter");
    }

    /**
     * The parameters of a limiter over the store, by key or not; null = as the request says. {@code away} is compared in place of
     * {@code whenAway}, which may contain a function.
     */
    public record Setup(
            StrategySpec spec,
            Mode mode,
            WhenAway whenAway,
            Object away,
            @Nullable Boolean keyed) {
        public Setup {
            Objects.requireNonNull(mode, "mode");
            Objects.requireNonNull(whenAway, "whenAway");
        }

        /** The request as the store counts it. */
        Request counted(Request request) {
            boolean isForAll = keyed != null && !keyed && request.key() != null;
            return isForAll ? request.withKey(null) : request;
        }

        /** True if a limiter of this setup can be reconfigured to the other one. */
        boolean isLike(Setup other) {
            return mode.equals(other.mode) && away.equals(other.away);
        }
    }

    /** The setup that a document describes; throws if it needs what code does not give. */
    Setup setup(StrategySpec spec, LimitPlan.Stored stored) {
        return new Setup(
                spec,
                stored.mode(),
                stored.whenAway(instances),
                List.of(stored.away(), stored.instances()),
                stored.keyed());
    }
}
