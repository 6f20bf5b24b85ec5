package dev.weir.store;

import dev.weir.Permit.Quota;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The last answer of the store for one key, and what was granted by it. Thread-safe. */
final class VerdictEntry {
    /*
     * `granted` only rises. An answer allows it to rise to `most`: to what the store had counted of it when it answered, and
     * what it said remained. So what the store has not counted is never more than what remained by the last answer.
     *
     * The thread that sets `counting` tells the store what it has not counted yet, with one command in flight. It tells the
     * rest when that is answered. A grant that comes in between is either seen by the thread that ends the command, or finds
     * `counting` cleared and sends a command itself: both write their own field before they read the other's.
     */
    private record Answer(Reply reply, boolean isQuota, long at, long most, long refusedPermits, long refusedUntil) {}

    private final Decisions decisions;
    private final @Nullable Object key;
    private final long freshNanos;
    private final AtomicLong granted = new AtomicLong();
    private final AtomicBoolean counting = new AtomicBoolean();
    private volatile long sent;
    private volatile long counted;
    private volatile @Nullable Answer answer;

    VerdictEntry(Decisions decisions, @Nullable Object key, long freshNanos) {
        this.decisions = decisions;
        this.key = key;
        this.freshNanos = freshNanos;
    }

    /** Grants by the last answer; null if that does not leave enough, or is old. */
    @Nullable
    StorePermit grant(Request request, StorePermit.Account account) {
        Answer last = answer;
        long now = decisions.now();
        if (last == null || now - last.at >= freshNanos) {
            return null;
        }
        long before = granted.get();
        while (before + request.permits() - last.most <= 0) {
            long after = before + request.permits();
            if (granted.compareAndSet(before, after)) {
                count();
                Reply told = last.isQuota ? last.reply : null;
                long counts = last.reply.counts(decisions.store(), last.at);
                return new StorePermit(account, request, told, last.most - after, now, counts);
            }
            before = granted.get();
        }
        return null;
    }

    /** Spends what was used beyond a grant, also more than the last answer leaves. */
    void spend(long permits) {
        granted.addAndGet(permits);
        count();
    }

    /** The rejection of this request, if the last answer shows that it would be refused. */
    @Nullable
    Rejection refuse(Request request) {
        Answer last = answer;
        if (last == null || request.permits() < last.refusedPermits) {
            return null;
        }
        long now = decisions.now();
        if (last.reply.retryAfterNanos() == Reply.NEVER) {
            return now - last.at < freshNanos ? decisions.refused(last.reply) : null;
        }
        long left = last.refusedUntil - now;
        return left > 0 ? decisions.refused(Reason.RATE, left, last.reply.limit()) : null;
    }

    /** The figures of the last answer, less what was granted by it; null if it told none, or is old. */
    @Nullable
    Quota quota() {
        Answer last = answer;
        long now = decisions.now();
        return last == null || !last.isQuota || now - last.at >= freshNanos
                ? null
                : last.reply.quota(Math.max(0, last.most - granted.get()), now - last.at);
    }

    /** The number of permits granted here that the store has counted. */
    long counted() {
        return counted;
    }

    /**
     * The store has answered a request for so many permits. If it refused them, the limit that it told may be another one than that
     * which leaves the fewest.
     *
     * @param permits {@code Long.MAX_VALUE} = they were counted in any case
     * @param counted how many it had counted at least when it was asked
     */
    void answered(Reply reply, long permits, long counted) {
        boolean refused = reply.granted() == 0;
        long now = decisions.now();
        boolean isCharge = permits == Long.MAX_VALUE;
        answer = new Answer(
                reply,
                isCharge || !refused,
                now,
                saturated(counted, reply.remaining()),
                refused ? permits : Long.MAX_VALUE,
                now + Math.max(0, reply.retryAfterNanos()));
    }

    /** Something was granted of which the store knows nothing. */
    void forget() {
        answer = null;
    }

    private static long saturated(long count, long more) {
        return more > Long.MAX_VALUE / 2 ? count + Long.MAX_VALUE / 2 : count + more;
    }

    private void count() {
        while (granted.get() != sent && counting.compareAndSet(false, true)) {
            long total = granted.get();
            long uncounted = total - sent;
            sent = total;
            if (uncounted == 0) {
                counting.set(false);
                continue;
            }
            Count call = new Count();
            decisions.charges.count(key, uncounted, call);
            call.sender = null;
        }
    }

    private final class Count implements Consumer<@Nullable Reply> {
        private volatile @Nullable Thread sender = Thread.currentThread();

        /* While the command is being sent, the sender counts the rest, so that calls are not nested. */
        @Override
        public void accept(@Nullable Reply reply) {
            counted = sent;
            if (reply != null) {
                answered(reply, Long.MAX_VALUE, counted);
            } else {
                answer = null;
            }
            counting.set(false);
            if (sender != Thread.currentThread()) {
                count();
            }
        }
    }
}
