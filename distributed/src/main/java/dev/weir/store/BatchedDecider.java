package dev.weir.store;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Permit.Quota;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.internal.Undoable;
import dev.weir.spi.Alarm;
import dev.weir.store.internal.DelayLine;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The decider of {@link Mode.Batched}: it grants permits that were taken from the store in advance. */
final class BatchedDecider implements Decider, StorePermit.Account {
    private final Decisions decisions;
    private final long maxUnused;
    private final StoreKeys<Batches> keys;
    private final DelayLine<Batch> expiring;
    private final StoreLimit store;

    BatchedDecider(
            StoreLimit store,
            Decisions decisions,
            long maxUnused,
            long expiry,
            long maxKeys,
            Ticker ticker,
            Alarm alarm) {
        this.decisions = decisions;
        this.maxUnused = maxUnused;
        this.keys = new StoreKeys<>(maxKeys, key -> new Batches(key, maxUnused, expiry, ticker.read()), this::retire);
        this.expiring = new DelayLine<>(ticker, alarm, expiry, this::expired);
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
        decisions.charges.countSettledAgain();
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
            return request.permits() == 1 && decisions.isUp(batches.key()) ? batches.refused(decisions, now) : null;
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
            decisions.charges.refund(batches.key(), permits);
        }
    }

    @Override
    public void ask(StoreRequest pending) {
        Request request = pending.request();
        Batches batches = request.permits() > maxUnused ? null : keys.get(request.key());
        WaitingRequest waiting = batches == null ? null : decisions.waiting(pending);
        long permits = batches == null || waiting == null ? -1 : batches.await(waiting, decisions.now());
        if (permits >= 0 && batches != null) {
            askFor(batches, permits);
        } else if (waiting == null || waiting.end()) {
            decisions.ask(pending, reply -> {}, null);
        }
    }

    private void askFor(Batches batches, long permits) {
        if (permits > 0) {
            decisions.acquire(batches.key(), permits, false, new Take(batches));
        }
    }

    private void expired(Batch batch) {
        long left = batch.takeUpTo(Long.MAX_VALUE);
        if (left > 0) {
            batch.batches.expired(batch, left);
            returned(batch.batches, left);
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

    /** The requests that wait for a batch, and those to come. One batch of a key is asked for at a time. */
    private final class Take implements Acquisition.Owner {
        private final Batches batches;

        private Take(Batches batches) {
            this.batches = batches;
        }

        @Override
        public void answered(Acquisition asked, Reply reply) {
            if (reply.granted() > 0) {
                decisions.granted(batches.key(), reply.granted());
            }
            long now = decisions.now();
            Batches.Steps steps = batches.answered(reply, asked.permits, asked.sentAt, asked.counts(reply, now), now);
            expiring.add(steps.batch());
            returned(batches, steps.refund());
            askFor(batches, steps.ask());
            steps.granted().forEach(request -> request.complete(permit(batches, request.request(), now)));
            steps.refused().forEach(waiting -> refuse(waiting, reply));
        }

        /* The answer to a batch says when one permit is free, and not whether more can ever be granted. */
        private void refuse(WaitingRequest waiting, Reply reply) {
            Request request = waiting.request().request();
            if (request.permits() == 1) {
                settle(waiting, decisions.refused(reply));
                return;
            }
            StoreRequest exact = new StoreRequest(request, decisions.now(), false, null);
            CompletableFuture<Decision> unused =
                    exact.future().whenComplete((decision, failure) -> settle(waiting, decision));
            decisions.ask(exact, answer -> {}, null);
        }

        private void settle(WaitingRequest waiting, Decision decision) {
            if (waiting.end()) {
                decisions.settle(waiting.request(), decision);
            } else if (decision instanceof Permit permit) {
                Undoable.undo(permit);
            }
        }

        @Override
        public void unanswered() {
            batches.failed().forEach(decisions::decideAway);
        }
    }
}
