package dev.weir.store;

import dev.weir.Decision;
import dev.weir.Permit.Quota;
import dev.weir.Request;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The decider of {@link Mode.Verdict}: it uses the last answer for a key while that is fresh and leaves
 * permits, and tells the store afterwards.
 */
final class VerdictDecider implements Decider, StorePermit.Account {
    private final Decisions decisions;
    private final StoreKeys<VerdictEntry> keys;
    private final StoreLimit store;

    VerdictDecider(StoreLimit store, Decisions decisions, long freshNanos, long maxKeys) {
        this.decisions = decisions;
        this.keys = new StoreKeys<>(maxKeys, key -> new VerdictEntry(decisions, key, freshNanos), evicted -> {});
        this.store = store;
    }

    /* What was granted here is charged in the same way as more than that. */
    @Override
    public void refund(@Nullable Object key, long permits, long grantedAt, long counts) {
        VerdictEntry entry = permits < 0 ? keys.find(key) : null;
        if (entry == null || !decisions.store().countsCost()) {
            decisions.correct(store, key, permits, grantedAt, counts);
        } else {
            entry.spend(-permits);
        }
    }

    @Override
    public void settledAgain() {
        decisions.charges.countSettledAgain();
    }

    @Override
    public @Nullable Decision tryNow(Request request) {
        VerdictEntry entry = decisions.isUp(request.key()) ? keys.find(request.key()) : null;
        if (entry == null) {
            return null;
        }
        StorePermit permit = entry.grant(request, this);
        if (permit == null) {
            return entry.refuse(request);
        }
        decisions.away.granted(request, request.permits());
        return permit;
    }

    @Override
    public void ask(StoreRequest pending) {
        Request request = pending.request();
        VerdictEntry entry = keys.get(request.key());
        long counted = entry.counted();
        Consumer<@Nullable Reply> told = reply -> {
            if (reply == null) {
                entry.forget();
            } else {
                entry.answered(reply, request.permits(), counted);
            }
        };
        decisions.ask(pending, told, store.countsCost() ? this : null);
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
}
