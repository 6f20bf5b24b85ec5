package dev.weir.http;

import dev.weir.Permit.Quota;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A limit of which clients are told, with its present policies. Thread-safe. */
final class ToldLimit {
    private final String name;
    private final Supplier<StrategySpec> spec;
    private final @Nullable Duration window;
    private final @Nullable LongSupplier quota;
    private final LongSupplier remaining;
    /* Immutable; threads that race read a specification twice. */
    private volatile Known known;

    /** The policies of a specification. */
    private record Known(@Nullable StrategySpec spec, List<Policy> policies) {}

    private ToldLimit(
            String name,
            Supplier<StrategySpec> spec,
            @Nullable Duration window,
            @Nullable LongSupplier quota,
            LongSupplier remaining) {
        this.name = name;
        this.spec = spec;
        this.window = window;
        this.quota = quota;
        this.remaining = remaining;
        this.known = read(spec.get());
    }

    private ToldLimit(Policy policy) {
        name = policy.name();
        known = new Known(null, List.of(policy));
        spec = () -> {
            throw new IllegalStateException("the policy does not change");
        };
        window = null;
        quota = null;
        remaining = () -> -1;
    }

    static ToldLimit fixed(Policy policy) {
        return new ToldLimit(policy);
    }

    static ToldLimit following(String name, Supplier<StrategySpec> spec) {
        return new ToldLimit(name, spec, null, null, () -> -1);
    }

    static ToldLimit of(ManagedLimiter limiter, @Nullable Duration window) {
        return new ToldLimit(
                limiter.name(), limiter::spec, window, () -> limiter.dial().limit(), limiter::remaining);
    }

    String name() {
        return name;
    }

    List<Policy> policies() {
        List<Policy> policies = known().policies;
        return quota == null || policies.size() > 1
                ? policies
                : List.of(policies.get(0).withQuota(quota.getAsLong()));
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

    /**
     * What a granted permit tells.
     *
     * @param quota null = as the limiter knows it
     */
    Told told(@Nullable Quota quota) {
        List<Policy> policies = policies();
        Policy first = policies.get(0);
        if (policies.size() > 1) {
            List<Policy> same = policies.stream()
                    .filter(each -> quota != null && each.quota() == quota.limit())
                    .toList();
            return quota == null || same.size() != 1
                    ? new Told(policies, first, -1, -1)
                    : new Told(policies, same.get(0), quota.remaining(), quota.resetNanos());
        }
        if (quota != null) {
            Policy then = first.withQuota(quota.limit());
            return new Told(List.of(then), then, quota.remaining(), quota.resetNanos());
        }
        return new Told(policies, first, Math.min(first.quota(), remaining.getAsLong()), -1);
    }

    /** The policy with this quota, or the first. */
    Policy policy(long quota) {
        List<Policy> policies = policies();
        return policies.stream()
                .filter(each -> each.quota() == quota)
                .findFirst()
                .orElse(policies.get(0));
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
