package dev.weir.distributed.remote;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Permit.Quota;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.distributed.internal.DelayLine;
import dev.weir.distributed.internal.StoreCommand;
import dev.weir.spi.Alarm;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The decider of {@link dev.weir.distributed.Mode.Leased}: it grants permits that were taken from the store in advance. */
final class LeasedDecider implements Decider {
    private final Decisions decisions;
    private final long maxUnused;
    private final RemoteKeys<Lease> keys;
    private final DelayLine<Batch> batches;
    private final DelayLine<Lease.Waiting> requests;
    private final RemotePermit.Refund refund;

    LeasedDecider(
            RemoteLimit store,
            Decisions decisions,
            long maxUnused,
            long expiry,
            long maxKeys,
            long timeoutNanos,
            Ticker ticker,
            Alarm alarm) {
        this.decisions = decisions;
        this.maxUnused = maxUnused;
        this.keys = new RemoteKeys<>(maxKeys, key -> new Lease(key, maxUnused, expiry, ticker.read()), this::retire);
        this.batches = new DelayLine<>(ticker, alarm, expiry, this::expired);
        this.requests = new DelayLine<>(ticker, alarm, timeoutNanos, this::waitedTooLong);
        this.refund = (key, permits, grantedAt, until) ->
                decisions.charges().refundCancelled(store, key, permits, grantedAt, until);
    }

    @Override
    public @Nullable Decision tryNow(Request request) {
        Lease lease = keys.find(request.key());
        if (lease == null) {
            return null;
        }
        long now = decisions.now();
        int taken = lease.take(request.permits(), now);
        if (taken < 0) {
            return request.permits() == 1 ? refused(lease, now) : null;
        }
        if (taken > 0 && decisions.link().isUp()) {
            askFor(lease, lease.refill(now));
        }
        return permit(lease, request, now);
    }

    @Override
    public @Nullable Quota quota(Request request) {
        Lease lease = keys.find(request.key());
        return lease == null ? null : lease.quota(decisions.now());
    }

    private RemotePermit permit(Lease lease, Request request, long now) {
        return new RemotePermit(refund, request, null, 0, now, lease.countsUntil());
    }

    private void returned(Lease lease, long permits) {
        if (permits > 0) {
            decisions.charges().refund(lease.key(), permits);
        }
    }

    private @Nullable Decision refused(Lease lease, long now) {
        Lease.Refused refused = lease.refused();
        return refused != null
                        && refused.usedUntil() - now > 0
                        && decisions.link().isUp()
                ? decisions.refused(Reason.RATE, refused.until() - now, refused.limit())
                : null;
    }

    @Override
    public void ask(RemoteRequest pending) {
        Request request = pending.request();
        Lease lease = request.permits() > maxUnused ? null : keys.get(request.key());
        long now = decisions.now();
        Lease.Waiting waiting = lease == null ? null : new Lease.Waiting(lease, pending, now);
        long permits = lease == null || waiting == null ? -1 : lease.await(waiting, now);
        if (lease == null || waiting == null || permits < 0) {
            decisions.ask(pending, reply -> {});
            return;
        }
        requests.add(waiting);
        askFor(lease, permits);
    }

    /* A request may wait for the batch that was asked for before it came, and for the next one. */
    private void waitedTooLong(Lease.Waiting waiting) {
        if (waiting.withdraw()) {
            Request request = waiting.request().request();
            decisions.settle(waiting.request(), decisions.away().decide(request));
        }
    }

    private void askFor(Lease lease, long permits) {
        if (permits > 0) {
            decisions.charges().before(lease.key());
            Take take = new Take(lease, permits);
            if (!decisions.link().send(take)) {
                take.decideAway();
            }
        }
    }

    private void expired(Batch batch) {
        long left = batch.takeUpTo(Long.MAX_VALUE);
        if (left > 0) {
            batch.lease().expired(batch, left);
            returned(batch.lease(), left);
        }
    }

    private void retire(Lease lease) {
        returned(lease, lease.retire());
    }

    /** Returns all permits; requests that wait for an answer get theirs. */
    @Override
    public void close() {
        keys.values().forEach(this::retire);
    }

    /** A command that takes a batch; there is one for a key at a time. */
    private final class Take implements StoreCommand<Reply> {
        private final RemoteLimit limit = decisions.store();
        private final Lease lease;
        private final long permits;
        private final long sentAt = decisions.now();

        private Take(Lease lease, long permits) {
            this.lease = lease;
            this.permits = permits;
        }

        @Override
        public CompletionStage<Reply> send() {
            return limit.acquireUpTo(lease.key(), permits);
        }

        @Override
        public void answered(Reply reply) {
            if (reply.granted() > 0) {
                decisions.away().granted(lease.request(reply.granted()), reply.granted());
            }
            long now = decisions.now();
            Lease.Steps steps = lease.answered(reply, permits, sentAt, now);
            batches.add(steps.batch());
            returned(lease, steps.refund());
            askFor(lease, steps.ask());
            steps.granted().forEach(request -> request.complete(permit(lease, request.request(), now)));
            steps.refused().forEach(request -> refuse(request, reply));
        }

        /* The answer to a batch says when one permit is free, and not whether more can ever be granted. */
        private void refuse(Lease.Waiting waiting, Reply reply) {
            Request request = waiting.request().request();
            if (request.permits() == 1) {
                settle(waiting, decisions.refused(reply));
                return;
            }
            RemoteRequest exact = new RemoteRequest(request, decisions.now(), false, null);
            CompletableFuture<Decision> unused =
                    exact.future().whenComplete((decision, failure) -> settle(waiting, decision));
            decisions.ask(exact, answer -> {});
        }

        private void settle(Lease.Waiting waiting, Decision decision) {
            if (waiting.withdraw()) {
                decisions.settle(waiting.request(), decision);
            } else if (decision instanceof Permit permit) {
                permit.release(Outcome.CANCELLED);
            }
        }

        @Override
        public void failed() {
            decisions.charges().isInDoubt(permits);
            decideAway();
        }

        private void decideAway() {
            lease.failed()
                    .forEach(request ->
                            decisions.settle(request, decisions.away().decide(request.request())));
        }

        @Override
        public void answeredLate(Reply reply) {
            decisions.charges().isInDoubt(-permits);
            decisions
                    .charges()
                    .refundCancelled(limit, lease.key(), reply.granted(), sentAt, sentAt + reply.resetNanos());
        }
    }
}
