package dev.weir.distributed.remote;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Turns answers of the store into decisions, and lets requests wait that may be granted in time. Thread-safe. */
final class Decisions {
    /** Consecutive multiples of it spread evenly: Knuth, The Art of Computer Programming, vol. 3, 6.4. */
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private static final long MAX_JITTER = 5_000_000;

    private final String name;
    private final Ticker ticker;
    private final StoreLink link;
    private final Charges charges;
    private final Away away;
    private final Retries retries;
    private final AtomicLong waits = new AtomicLong();

    Decisions(String name, Ticker ticker, StoreLink link, Charges charges, Away away, Retries retries) {
        this.name = name;
        this.ticker = ticker;
        this.link = link;
        this.charges = charges;
        this.away = away;
        this.retries = retries;
    }

    long now() {
        return ticker.read();
    }

    StoreLink link() {
        return link;
    }

    Charges charges() {
        return charges;
    }

    Away away() {
        return away;
    }

    Rejection refused(Reason reason, long retryAfterNanos, long limit) {
        return new Rejection(name, reason, retryAfterNanos, limit);
    }

    /** The rejection of a request that the store has refused. */
    Rejection refused(Reply reply) {
        return reply.retryAfterNanos() == Reply.NEVER
                ? refused(Reason.NEVER, 0, reply.limit())
                : refused(Reason.RATE, Math.max(1, reply.retryAfterNanos()), reply.limit());
    }

    /** Is told of each answer before the request is settled; null = the request is decided without the store. */
    @FunctionalInterface
    interface Answer {
        void of(@Nullable Reply reply);
    }

    /** Asks the store for all permits of a request or none. */
    void ask(RemoteLimit store, RemoteRequest request, Answer answer) {
        charges.before(request.request().key());
        Acquire call = new Acquire(store, request, answer);
        if (!link.send(call)) {
            call.decideAway();
        }
    }

    /** Completes a request, or lets it wait for its next attempt. */
    void settle(RemoteRequest request, Decision decision) {
        if (decision instanceof Permit || !request.waits()) {
            request.complete(decision);
            return;
        }
        Rejection rejection = (Rejection) decision;
        long retryAfter = rejection.retryAfterNanos();
        if (rejection.reason() != Reason.RATE || retryAfter == 0) {
            request.complete(rejection);
            return;
        }
        long now = ticker.read();
        long left = request.deadline() - now;
        if (left < retryAfter) {
            request.complete(refused(Reason.TIMED_OUT, retryAfter, rejection.limit()));
        } else if (!retries.add(request, now + Math.min(left, retryAfter + jitter(retryAfter)))) {
            request.complete(refused(Reason.CANCELLED, 0, rejection.limit()));
        }
    }

    private long jitter(long retryAfter) {
        long range = Math.min(MAX_JITTER, retryAfter / 8);
        return Math.multiplyHigh((waits.getAndIncrement() * GOLDEN) >>> 1, 2 * range);
    }

    /** One request for all permits or none. */
    private final class Acquire implements StoreCommand {
        private final RemoteLimit store;
        private final RemoteRequest pending;
        private final Answer answer;

        private Acquire(RemoteLimit store, RemoteRequest pending, Answer answer) {
            this.store = store;
            this.pending = pending;
            this.answer = answer;
        }

        @Override
        public CompletionStage<?> send() {
            Request request = pending.request();
            return store.acquire(request.key(), request.permits());
        }

        @Override
        public void answered(@Nullable Object answered) {
            Reply reply = (Reply) Objects.requireNonNull(answered);
            answer.of(reply);
            Request request = pending.request();
            if (reply.granted() == 0) {
                settle(pending, refused(reply));
            } else {
                away.granted(request, reply.granted());
                long now = ticker.read();
                pending.complete(new RemotePermit(
                        (key, permits, grantedAt, until) ->
                                charges.refundCancelled(store, key, permits, grantedAt, until),
                        request,
                        reply,
                        reply.remaining(),
                        now,
                        now + reply.resetNanos()));
            }
        }

        @Override
        public void failed() {
            charges.isInDoubt(pending.request().permits());
            decideAway();
        }

        private void decideAway() {
            answer.of(null);
            settle(pending, away.decide(pending.request()));
        }

        @Override
        public void answeredLate(@Nullable Object answered) {
            charges.isInDoubt(-pending.request().permits());
            long granted = ((Reply) Objects.requireNonNull(answered)).granted();
            if (granted > 0) {
                charges.refund(store, pending.request().key(), granted);
            }
        }
    }
}
