package dev.weir.http;

import dev.weir.Permit.Quota;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.engine.ManagedLimiter;
import dev.weir.http.Policy.Unit;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A limit of which clients are told, with its present policies. Thread-safe. */
final class ToldLimit {
    private final String name;
    private final Supplier<StrategySpec> spec;
    private final @Nullable Duration window;
    private final @Nullable LongSupplier limit;
    private final Function<? super Request, @Nullable Quota> quotas;
    /* Immutable; threads that race read a specification twice. */
    private volatile Known known;

    /** The policies of a specification. */
    private record Known(@Nullable StrategySpec spec, List<Policy> policies) {}

    private ToldLimit(
            String name,
            Supplier<StrategySpec> spec,
            @Nullable Duration window,
            @Nullable LongSupplier limit,
            Function<? super Request, @Nullable Quota> quotas) {
        this.name = name;
        this.spec = spec;
        this.window = window;
        this.limit = limit;
        this.quotas = quotas;
        this.known = read(spec.get());
    }

    private ToldLimit(Policy policy) {
        name = policy.name();
        known = new Known(null, List.of(policy));
        spec = () -> {
            throw new IllegalStateException("the policy does not change");
        };
        window = null;
        limit = null;
        quotas = request -> null;
    }

    static ToldLimit fixed(Policy policy) {
        return new ToldLimit(policy);
    }

    static ToldLimit following(
            String name,
            Supplier<StrategySpec> spec,
            @Nullable Duration window,
            Function<? super Request, @Nullable Quota> quotas) {
        return new ToldLimit(name, spec, window, null, quotas);
    }

    static ToldLimit of(ManagedLimiter limiter, @Nullable Duration window) {
        return new ToldLimit(
                limiter.name(), limiter::spec, window, () -> limiter.dial().limit(), limiter::quota);
    }

    String name() {
        return name;
    }

    private List<Policy> policies() {
        List<Policy> policies = known().policies;
        return limit == null || policies.size() > 1
                ? policies
                : List.of(policies.get(0).withQuota(limit.getAsLong()));
    }

    /* A response must not fail because of its fields: if the specification cannot be read, clients are told the last one. */
    private Known known() {
        Known present = known;
        if (present.spec == null) {
            return present;
        }
        try {
            StrategySpec now = spec.get();
            if (now != present.spec) {
                present = read(now);
                known = present;
            }
        } catch (RuntimeException e) {
            return present;
        }
        return present;
    }

    private @Nullable Quota quota(Request request) {
        try {
            return quotas.apply(request);
        } catch (RuntimeException e) {
            return null;
        }
    }

    /**
     * What a granted permit tells.
     *
     * @param decided null = as the limiter knows it for the request
     */
    Told granted(@Nullable Quota decided, Request request) {
        List<Policy> policies = policies();
        Quota quota = decided == null ? quota(request) : decided;
        List<Policy> same = quota == null
                ? List.of()
                : policies.stream()
                        .filter(each -> policies.size() == 1 || each.isOf(quota))
                        .toList();
        if (quota == null || same.size() != 1) {
            return new Told(policies, policies.get(0), -1, -1);
        }
        Policy of = same.get(0).as(quota);
        return new Told(
                policies.stream().map(each -> each == same.get(0) ? of : each).toList(),
                of,
                // Clients take what is left for a part of the quota, also of a burst above it.
                Math.min(quota.remaining(), quota.limit()),
                quota.resetNanos() == 0 ? -1 : quota.resetNanos());
    }

    /** The policy that refused, with the quota of that moment; this limit as a whole if it is not known which of several. */
    Policy refusing(Rejection rejection, Request request) {
        List<Policy> policies = policies();
        Quota quota = quota(request);
        if (policies.size() == 1) {
            Policy only = policies.get(0);
            only = quota != null && quota.limit() == rejection.limit() ? only.as(quota) : only;
            return rejection.limit() > 0 ? only.withQuota(rejection.limit()) : only;
        }
        List<Policy> same = policies.stream()
                .filter(each -> each.quota() == rejection.limit() && each.mayRefuseFor(rejection.reason()))
                .toList();
        if (same.size() > 1 && quota != null && quota.remaining() == 0) {
            same = same.stream().filter(each -> each.isOf(quota)).toList();
        }
        return same.size() == 1 ? same.get(0) : whole(name, rejection);
    }

    /** A limit of which only the rejection is known. */
    static Policy whole(String name, Rejection rejection) {
        boolean holds = rejection.reason() == Reason.CONCURRENCY || rejection.reason() == Reason.SHED;
        return new Policy(name, rejection.limit(), null, holds ? Unit.CONCURRENT_REQUESTS : Unit.REQUESTS);
    }

    private Known read(StrategySpec present) {
        List<Policy> policies = Policy.of(name, present);
        return new Known(
                present,
                window == null
                        ? policies
                        : policies.stream()
                                .map(each -> each.window() == null ? each.withWindow(window) : each)
                                .toList());
    }
}
