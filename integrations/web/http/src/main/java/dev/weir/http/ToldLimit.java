package dev.weir.http;

import dev.weir.Permit.Quota;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.http.Policies.Part;
import dev.weir.http.Policy.Unit;
import dev.weir.spi.LimitView;
import dev.weir.spi.StrategySpec;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A limit of which clients are told, with its present policies. Thread-safe. */
final class ToldLimit {
    private final String name;
    /* Null if the policy does not change. */
    private final @Nullable LimitView limit;
    /* What follows is immutable; threads that race make it twice. */
    private volatile Policies known;
    private volatile @Nullable Changed last;

    /** Policies one of which has figures of a moment, such as those of a controller, in place of those of its specification. */
    private record Changed(Policies from, Part part, long quota, long windowNanos, Policies to) {
        boolean isOf(Policies policies, Part changed, long limit, long nanos) {
            return from == policies && part == changed && quota == limit && windowNanos == nanos;
        }
    }

    private ToldLimit(String name, @Nullable LimitView limit, Policies known) {
        this.name = name;
        this.limit = limit;
        this.known = known;
    }

    static ToldLimit fixed(Policy policy) {
        return new ToldLimit(policy.name(), null, new Policies(null, List.of(policy)));
    }

    static ToldLimit of(LimitView limit) {
        return new ToldLimit(limit.name(), limit, Policies.of(limit.name(), limit.spec()));
    }

    String name() {
        return name;
    }

    /* A response must not fail because of its fields: if the specification cannot be read, clients are told the last one. */
    private Policies policies() {
        Policies present = known;
        if (limit == null) {
            return present;
        }
        try {
            StrategySpec now = limit.spec();
            if (!present.isOf(now)) {
                present = Policies.of(name, now);
                known = present;
            }
        } catch (RuntimeException e) {
            return present;
        }
        return present;
    }

    @Nullable
    Quota quota(Request request) {
        try {
            return limit == null ? null : limit.quota(request);
        } catch (RuntimeException e) {
            return null;
        }
    }

    boolean mayHave(Quota figures) {
        return policies().only(policy -> policy.isOf(figures)) != null;
    }

    /** The policies when the limit had these figures; null = not known. */
    Policies policies(@Nullable Quota figures) {
        Policies present = policies();
        Part part = present.part(figures);
        return figures == null || part == null
                ? present
                : changed(present, part, figures.limit(), figures.windowNanos());
    }

    /* The window of the moment counts if the part has none of its own. */
    private Policies changed(Policies policies, Part part, long quota, long windowNanos) {
        Policy policy = part.policy();
        if (quota == policy.quota() && (windowNanos == 0 || policy.window() != null)) {
            return policies;
        }
        Changed before = last;
        if (before == null || !before.isOf(policies, part, quota, windowNanos)) {
            Policies to = policies.with(part, policy.as(quota, windowNanos));
            before = new Changed(policies, part, quota, windowNanos, to);
            last = before;
        }
        return before.to;
    }

    /** The policy that refused, with the quota of that moment; this limit as a whole if it is not known which of several. */
    Part refusing(Rejection rejection, Request request) {
        Policies policies = policies();
        long limited = rejection.limit();
        if (policies.isOne()) {
            Part only = policies.first();
            Quota quota = quota(request);
            Quota then = quota != null && quota.limit() == limited ? quota : null;
            long limit = limited > 0 || then != null ? limited : only.policy().quota();
            return changed(policies, only, limit, then == null ? 0 : then.windowNanos())
                    .first();
        }
        Predicate<Policy> mayRefuse = policy -> policy.quota() == limited && policy.mayRefuseFor(rejection.reason());
        Part same = policies.only(mayRefuse);
        Quota quota = same == null ? quota(request) : null;
        if (quota != null && quota.remaining() == 0) {
            same = policies.only(mayRefuse.and(policy -> policy.isOf(quota)));
        }
        return same == null ? whole(name, rejection) : same;
    }

    static Part whole(String name, Rejection rejection) {
        boolean holds = rejection.reason() == Reason.CONCURRENCY || rejection.reason() == Reason.SHED;
        return Part.of(new Policy(name, rejection.limit(), null, holds ? Unit.CONCURRENT_REQUESTS : Unit.REQUESTS));
    }
}
