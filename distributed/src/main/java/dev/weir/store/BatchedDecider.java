package dev.weir.store;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Permit.Quota;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.internal.Undoable;
import dev.weir.spi.Alarm;
import dev.weir.store.internal.DelayLine;
import dev.weir.store.internal.StoreCommand;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The decider of {@link Mode.Batched}: it grants permits that were taken from the store in advance. */
final class BatchedDecider implements Decider, StorePermit.Account {
    private final Decisions decisions;
    private final long maxUnused;
    private final StoreKeys<Batches> keys;
    private final DelayLine<Batch> expiring;
    private final DelayLine<Batches.Waiting> requests;
    private final StoreLimit store;

    BatchedDecider(
            StoreLimit store,
            Decisions decisions,
            long maxUnused,
            long expiry,
            long maxKeys,
            long timeoutNanos,
            Ticker ticker,
            Alarm alarm) {
        this.decisions = decisions;
        this.maxUnused = maxUnused;
        this.keys = new StoreKeys<>(maxKeys, key -> new Batches(key, maxUnused, expiry, ticker.read()), this::retire);
        this.expiring = new DelayLine<>(ticker, alarm, expiry, this::expired);
        this.requests = new DelayLine<>(ticker, alarm, timeoutNanos, this::waitedTooLong);
        this.store = store;
    }

    @Override
    public void refund(@Nullable Object key, long permits, long grantedAt, long counts) {
        Batches batches = store.countsCost() ? keys.find(key) : null;
        if (batches == null) {
            decisions.correct(store, key, permits, grantedAt, counts);
        } else if (permits < 0) {
            decisions.chargeLater(key, -permits - batches.spend(-permits));
        } else {
            putBack(batches, permits, grantedAt, counts);
        }
    }

    /* Of a window only the store knows what it counts still. */
    private void putBack(Batches batches, long permits, long grantedAt, long counts) {
        long now = decisions.now();
        long refilled = store.refilled(now - grantedAt);
        long back = refilled < 0 || permits <= refilled ? 0 : batches.putBack(permits - refilled, now);
        decisions.correct(store, batches.key(), permits - back, grantedAt, counts);
    }

    @Override
    public void settledAgain() {
        decisions.charges().countSettledAgain();
    }

    @Override
    public @Nullable Decision tryNow(Request request) {
        Batches batches = keys.find(request.key());
        if (batches == null) {
            return null;
        }
        long now = decisions.now();
        int taken = batches.take(request.permits(), now);
        if (taken < 0) {
            return request.permits() == 1 ? refused(batches, now) : null;
        }
        if (taken > 0 && decisions.isUp(batches.key())) {
            askFor(batches, batches.refill(now));
        }
        return permit(batches, request, now);
    }

    @Override
    public @Nullable Quota quota(Request request) {
        Batches batches = keys.find(request.key());
        return batches == null ? null : batches.quota(decisions.now());
    }

    private StorePermit permit(Batches batches, Request request, long now) {
        return new StorePermit(this, request, null, 0, now, store.countsCost() ? batches.earliest() : batches.counts());
    }

    private void returned(Batches batches, long permits) {
        if (permits > 0) {
            decisions.charges().refund(batches.key(), permits);
        }
    }

    private @Nullable Decision refused(Batches batches, long now) {
        Batches.Refused refused = batches.refused();
        return refused != null && refused.usedUntil() - now > 0 && decisions.isUp(batches.key())
                ? decisions.refused(Reason.RATE, refused.until() - now, refused.limit())
                : null;
    }

    @Override
    public void ask(StoreRequest pending) {
        Request request = pending.request();
        Batches batches = request.permits() > maxUnused ? null : keys.get(request.key());
        long now = decisions.now();
        Batches.Waiting waiting = batches == null ? null : new Batches.Waiting(batches, pending, now);
        long permits = batches == null || waiting == null ? -1 : batches.await(waiting, now);
        if (batches == null || waiting == null || permits < 0) {
            decisions.ask(pending, reply -> {});
            return;
        }
        requests.add(waiting);
        askFor(batches, permits);
    }

    /* A request may wait for the batch that was asked for before it came, and for the next one. */
    private void waitedTooLong(Batches.Waiting waiting) {
        if (waiting.withdraw()) {
            Request request = waiting.request().request();
            decisions.settle(waiting.request(), decisions.away().decide(request));
        }
    }

    private void askFor(Batches batches, long permits) {
        if (permits > 0) {
            Take take = new Take(batches, permits);
            if (!decisions.send(batches.key(), take)) {
                take.decideAway();
            }
        }
    }

    private void expired(Batch batch) {
        long left = batch.takeUpTo(Long.MAX_VALUE);
        if (left > 0) {
            batch.batches().expired(batch, left);
            returned(batch.batches(), left);
        }
    }

    private void retire(Batches batches) {
        returned(batches, batches.retire());
    }

    /** Returns all permits; requests that wait for an answer get theirs. */
    @Override
    public void close() {
        keys.values().forEach(this::retire);
    }

    /** A command that takes a batch; there is one for a key at a time. */
    private final class Take implements StoreCommand<Reply> {
        private final StoreLimit limit = decisions.store();
        private final Batches batches;
        private final long permits;
        private final long sentAt = decisions.now();

        private Take(Batches batches, long permits) {
            this.batches = batches;
            this.permits = permits;
        }

        @Override
        public CompletionStage<Reply> send() {
            return limit.acquireUpTo(batches.key(), permits);
        }

        @Override
        public void answered(Reply reply) {
            if (reply.granted() > 0) {
                decisions.away().granted(batches.request(reply.granted()), reply.granted());
            }
            long now = decisions.now();
            Batches.Steps steps = batches.answered(reply, permits, sentAt, reply.counts(limit, now), now);
            expiring.add(steps.batch());
            returned(batches, steps.refund());
            askFor(batches, steps.ask());
            steps.granted().forEach(request -> request.complete(permit(batches, request.request(), now)));
            steps.refused().forEach(request -> refuse(request, reply));
        }

        /* The answer to a batch says when one permit is free, and not whether more can ever be granted. */
        private void refuse(Batches.Waiting waiting, Reply reply) {
            Request request = waiting.request().request();
            if (request.permits() == 1) {
                settle(waiting, decisions.refused(reply));
                return;
            }
            StoreRequest exact = new StoreRequest(request, decisions.now(), false, null);
            CompletableFuture<Decision> unused =
                    exact.future().whenComplete((decision, failure) -> settle(waiting, decision));
            decisions.ask(exact, answer -> {});
        }

        private void settle(Batches.Waiting waiting, Decision decision) {
            if (waiting.withdraw()) {
                decisions.settle(waiting.request(), decision);
            } else if (decision instanceof Permit permit) {
                Undoable.undo(permit);
            }
        }

        @Override
        public void notSent() {
            decideAway();
        }

        @Override
        public void failed() {
            decisions.charges().isInDoubt(permits);
            decideAway();
        }

        private void decideAway() {
            batches.failed()
                    .forEach(request ->
                            decisions.settle(request, decisions.away().decide(request.request())));
        }

        @Override
        public void answeredLate(Reply reply) {
            decisions.charges().isInDoubt(-permits);
            decisions
                    .charges()
                    .refundCancelled(limit, batches.key(), reply.granted(), sentAt, reply.counts(limit, sentAt));
        }
    }
}
