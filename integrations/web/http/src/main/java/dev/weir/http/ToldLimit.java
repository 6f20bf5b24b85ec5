package dev.weir.http;

import dev.weir.Permit.Quota;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.http.Policy.Unit;
import dev.weir.spi.LimitView;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A limit of which clients are told, with its present policies. Thread-safe. */
final class ToldLimit {
    private final String name;
    /* Null if the policy does not change. */
    private final @Nullable LimitView limit;
    private final @Nullable Duration window;
    /* Immutable; threads that race read a specification twice. */
    private volatile Known known;

    /** The policies of a specification. */
    private record Known(@Nullable StrategySpec spec, List<Policy> policies) {}

    private ToldLimit(String name, @Nullable LimitView limit, @Nullable Duration window, Known known) {
        this.name = name;
        this.limit = limit;
        this.window = window;
        this.known = known;
    }

    static ToldLimit fixed(Policy policy) {
        return new ToldLimit(policy.name(), null, null, new Known(null, List.of(policy)));
    }

    static ToldLimit of(LimitView limit, @Nullable Duration window) {
        return new ToldLimit(limit.name(), limit, window, read(limit.name(), limit.spec(), window));
    }

    String name() {
        return name;
    }

    /* A response must not fail because of its fields: if the specification cannot be read, clients are told the last one. */
    private List<Policy> policies() {
        Known present = known;
        if (limit == null) {
            return present.policies;
        }
        try {
            StrategySpec now = limit.spec();
            if (now != present.spec && !now.equals(present.spec)) {
                present = read(name, now, window);
                known = present;
            }
        } catch (RuntimeException e) {
            return present.policies;
        }
        return present.policies;
    }

    private @Nullable Quota quota(Request request) {
        try {
            return limit == null ? null : limit.quota(request);
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

    private static Known read(String name, StrategySpec present, @Nullable Duration window) {
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
