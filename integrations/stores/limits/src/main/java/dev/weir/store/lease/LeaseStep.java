package dev.weir.store.lease;

import dev.weir.store.lease.LeaseCall.Answer.Grant;
import dev.weir.store.lease.LeaseReply.Reason;
import dev.weir.store.state.ValueRule;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a holder that are decided at one instant, one after the other: {@code State -> State + Answer}, as the script of Redis does
 * it. No time is read. Not thread-safe.
 */
final class LeaseStep {
    /** So much longer than what it counts a state is kept. */
    static final long KEPT_MICROS = 1_000_000;

    private final String holder;
    private final long now;
    private final Map<String, Map<HeldLease, Long>> leases;
    private final List<LeaseState.Waiting> waiting;
    private long token;
    private long ahead;
    private long closed;
    private long used;
    private int count;
    private boolean isJunk;
    private boolean changed;

    /**
     * A step of a holder.
     *
     * @param bytes null = there is no state. What is no state is replaced: until one lease has passed, only renewals are accepted
     * @param server an instant that the store's clock has reached
     */
    LeaseStep(String holder, byte @Nullable [] bytes, long server) {
        LeaseState found = bytes == null ? null : LeaseState.of(bytes);
        isJunk = bytes != null && found == null;
        LeaseState state = found == null ? LeaseState.empty(server) : found;
        this.holder = holder;
        leases = state.leases();
        waiting = state.waiting();
        token = state.token();
        ahead = state.ahead();
        closed = state.closed();
        if (server + ahead < state.micros()) {
            ahead = state.micros() - server;
            changed = true;
        }
        now = server + ahead;
        removeExpired();
    }

    /** The rule of a value that has the leases of a semaphore, for one of its holders. */
    static ValueRule<LeaseCall, LeaseCall.Answer> rule(String holder) {
        return (state, calls, now) -> {
            LeaseStep step = new LeaseStep(holder, state, now);
            List<LeaseCall.Answer> answers = new ArrayList<>(calls.size());
            for (ValueRule.Timed<LeaseCall> each : calls) {
                answers.add(step.answer(each.call(), each.marginMicros()));
            }
            return new ValueRule.Result<>(step.bytes(), step.ttlMicros(), answers);
        };
    }

    private void removeExpired() {
        for (Iterator<Map<HeldLease, Long>> holders = leases.values().iterator(); holders.hasNext(); ) {
            Map<HeldLease, Long> ends = holders.next();
            changed |= ends.values().removeIf(end -> end <= now);
            if (ends.isEmpty()) {
                holders.remove();
            }
            count += ends.size();
            for (HeldLease lease : ends.keySet()) {
                used += lease.permits();
            }
        }
    }

    /** {@code margin}: so many microseconds longer than its terms say a lease lasts, and a holder waits. */
    LeaseCall.Answer answer(LeaseCall call, long margin) {
        LeaseTerms terms = call.terms();
        long ends = after(terms.leaseMicros(), margin);
        if (isJunk) {
            isJunk = false;
            closed = ends;
            changed = true;
        }
        changed |= waiting.removeIf(each -> each.till() <= now || each.permits() > terms.limit());
        List<Boolean> done = List.of();
        Grant grant = Grant.NONE;
        if (call instanceof LeaseCall.Acquire acquire) {
            grant = acquire(acquire, ends, margin);
        } else if (call instanceof LeaseCall.Charge charge) {
            grant = lease(charge.permits(), ends);
        } else if (call instanceof LeaseCall.Renew renew) {
            done = renew.leases().stream()
                    .map(each -> renew(each, terms.limit(), ends))
                    .toList();
        } else if (call instanceof LeaseCall.Release release) {
            done = release.leases().stream().map(this::release).toList();
        }
        tell(terms.limit());
        long remaining = now < closed ? 0 : Math.max(0, terms.limit() - used);
        return new LeaseCall.Answer(grant, done, remaining, terms.limit(), reset());
    }

    private long after(long micros, long margin) {
        return now + Math.min(LeaseState.MOST - now, Math.min(micros, LeaseState.MOST) + margin);
    }

    /** Grants a call nothing that those before it wait for. */
    private Grant acquire(LeaseCall.Acquire call, long ends, long margin) {
        int mine = call.waitMicros() > 0 ? place() : waiting.size();
        long before = 0;
        for (LeaseState.Waiting each : waiting.subList(0, mine)) {
            before += each.permits();
        }
        boolean isPlaced = mine < waiting.size();
        long limit = call.terms().limit();
        if (now >= closed && used + before + call.permits() <= limit) {
            Grant grant = lease(call.permits(), ends);
            if (isPlaced && grant.token() > 0) {
                waiting.remove(mine);
            }
            return grant;
        } else if (call.permits() > limit) {
            return new Grant(0, -1, Reason.HELD);
        } else if (now < closed) {
            return new Grant(0, closed - now, Reason.RECOVERS);
        }
        boolean waits = call.waitMicros() > 0 && (isPlaced || waiting.size() < Leases.MOST_WAITING);
        if (waits) {
            LeaseState.Waiting place =
                    new LeaseState.Waiting(holder, call.permits(), after(call.waitMicros(), margin), false);
            if (isPlaced) {
                waiting.set(mine, place);
            } else {
                waiting.add(place);
            }
            changed = true;
        }
        return new Grant(0, firstEnd(), waits ? Reason.WAITS : Reason.HELD);
    }

    private int place() {
        int i = 0;
        while (i < waiting.size() && !waiting.get(i).holder().equals(holder)) {
            i++;
        }
        return i;
    }

    private Grant lease(long permits, long ends) {
        if (count >= LeaseState.MOST_LEASES) {
            return new Grant(0, firstEnd(), Reason.FULL);
        }
        token = Math.max(token + 1, now);
        put(new HeldLease(token, permits), ends);
        return Grant.of(token);
    }

    private void put(HeldLease lease, long ends) {
        if (leases.computeIfAbsent(holder, absent -> new LinkedHashMap<>()).put(lease, ends) == null) {
            count++;
            used += lease.permits();
        }
        changed = true;
    }

    private boolean renew(HeldLease lease, long limit, long ends) {
        boolean isHeld = leases.getOrDefault(holder, Map.of()).containsKey(lease);
        if (!isHeld && !isAccepted(lease, limit)) {
            return false;
        }
        token = Math.max(token, lease.token());
        put(lease, ends);
        return true;
    }

    private boolean isAccepted(HeldLease lease, long limit) {
        return now < closed
                && count < LeaseState.MOST_LEASES
                && lease.token() > 0
                && lease.token() <= LeaseState.MOST
                && lease.permits() > 0
                && lease.permits() <= LeaseState.MOST_PERMITS
                && used + lease.permits() <= limit;
    }

    private boolean release(HeldLease lease) {
        Map<HeldLease, Long> own = leases.get(holder);
        if (own == null || own.remove(lease) == null) {
            return false;
        }
        if (own.isEmpty()) {
            leases.remove(holder);
        }
        count--;
        used -= lease.permits();
        changed = true;
        return true;
    }

    /** Keeps free what the first of those that wait want, for a turn. */
    private void tell(long limit) {
        long free = now < closed ? 0 : limit - used;
        for (int i = 0; i < waiting.size(); i++) {
            LeaseState.Waiting each = waiting.get(i);
            free -= each.permits();
            if (free < 0) {
                return;
            }
            if (!each.isTold()) {
                long till = after(Leases.TURN_MICROS, 0);
                waiting.set(i, new LeaseState.Waiting(each.holder(), each.permits(), till, true));
                changed = true;
            }
        }
    }

    private long firstEnd() {
        long first = Long.MAX_VALUE;
        for (Map<HeldLease, Long> ends : leases.values()) {
            for (long end : ends.values()) {
                first = Math.min(first, end);
            }
        }
        return first == Long.MAX_VALUE ? 1 : Math.max(1, first - now);
    }

    private long reset() {
        long last = now;
        for (Map<HeldLease, Long> ends : leases.values()) {
            for (long end : ends.values()) {
                last = Math.max(last, end);
            }
        }
        return last - now;
    }

    /** The state after the calls; null if they have changed nothing. */
    byte @Nullable [] bytes() {
        return changed ? new LeaseState(token, now, ahead, closed, leases, waiting).bytes() : null;
    }

    /** For how long the state differs from none: also until the clock of the store has reached the last token. */
    long ttlMicros() {
        return Math.max(ahead, Math.max(reset(), closed - now)) + KEPT_MICROS;
    }
}
