package dev.weir.distributed.remote;

import dev.weir.Decision;
import dev.weir.Permit.Quota;
import dev.weir.Request;
import org.jspecify.annotations.Nullable;

/**
 * The decider of {@link dev.weir.distributed.Mode.Verdict}: it uses the last answer for a key while that is fresh and leaves
 * permits, and tells the store afterwards.
 */
final class VerdictDecider implements Decider {
    private final Decisions decisions;
    private final RemoteKeys<VerdictEntry> keys;
    private final RemotePermit.Refund refund;

    VerdictDecider(RemoteLimit store, Decisions decisions, long freshNanos, long maxKeys) {
        this.decisions = decisions;
        this.keys = new RemoteKeys<>(maxKeys, key -> new VerdictEntry(decisions, key, freshNanos), evicted -> {});
        this.refund = (key, permits, grantedAt, until) ->
                decisions.charges().refundCancelled(store, key, permits, grantedAt, until);
    }

    @Override
    public @Nullable Decision tryNow(Request request) {
        VerdictEntry entry = decisions.link().isUp() ? keys.find(request.key()) : null;
        if (entry == null) {
            return null;
        }
        RemotePermit permit = entry.grant(request, refund);
        if (permit == null) {
            return entry.refuse(request);
        }
        decisions.away().granted(request, request.permits());
        return permit;
    }

    @Override
    public void ask(RemoteRequest pending) {
        Request request = pending.request();
        VerdictEntry entry = keys.get(request.key());
        long counted = entry.counted();
        decisions.ask(pending, reply -> {
            if (reply == null) {
                entry.forget();
            } else {
                entry.answered(reply, request.permits(), counted);
            }
        });
    }

    @Override
    public @Nullable Quota quota(Request request) {
        VerdictEntry entry = keys.find(request.key());
        return entry == null ? null : entry.quota();
    }

    @Override
    public void bypassed(Request request) {
        VerdictEntry entry = keys.find(request.key());
        if (entry != null) {
            entry.forget();
        }
    }

    @Override
    public void close() {}
}
