package dev.weir.store;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.store.internal.StoreCommand;
import dev.weir.store.internal.StoreLink;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The translation of answers of the store into decisions, with a wait for requests that may be granted in time. Thread-safe. */
final class Decisions {
    /** Consecutive multiples of it spread evenly: Knuth, The Art of Computer Programming, vol. 3, 6.4. */
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private static final long MAX_JITTER = 5_000_000;

    private final String name;
    private final Ticker ticker;
    private final StoreNodes nodes;
    private final Charges charges;
    private final Away away;
    private final Retries retries;
    private final Supplier<StoreLimit> store;
    private final AtomicLong waits = new AtomicLong();

    Decisions(
            String name,
            Ticker ticker,
            StoreNodes nodes,
            Charges charges,
            Away away,
            Retries retries,
            Supplier<StoreLimit> store) {
        this.name = name;
        this.ticker = ticker;
        this.nodes = nodes;
        this.charges = charges;
        this.away = away;
        this.retries = retries;
        this.store = store;
    }

    /** The limit that is in force now. */
    StoreLimit store() {
        return store.get();
    }

    long now() {
        return ticker.read();
    }

    /** Whether the node of a key is not away. */
    boolean isUp(@Nullable Object key) {
        return nodes.isUp(key);
    }

    /** The link to the node of a key. */
    StoreLink link(@Nullable Object key) {
        return nodes.of(key).link();
    }

    /** Sends a command for a key to its node, after what that has still to count of the key; false as of a link. */
    boolean send(@Nullable Object key, StoreCommand<?> command) {
        StoreNode node = nodes.of(key);
        charges.before(key, node);
        return node.link().send(command);
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

    /**
     * Corrects what a permit has spent that the store has counted.
     *
     * @param permits more than 0 are refunded, as far as they have not refilled; less than 0 are charged
     */
    void correct(StoreLimit granter, @Nullable Object key, long permits, long grantedAt, long counts) {
        if (permits < 0) {
            away.granted(new Request(-permits, 0, key, Request.NO_DEADLINE), -permits);
        }
        charges.refundCancelled(granter, key, permits, grantedAt, counts);
    }

    /** Charges what was used beyond a grant with the next command for the key, or soon. */
    void chargeLater(@Nullable Object key, long permits) {
        if (permits > 0 && store.get().countsCost()) {
            away.granted(new Request(permits, 0, key, Request.NO_DEADLINE), permits);
            charges.laterInAnyCase(key, permits);
        }
    }

    /** A callback that gets each answer before the request is settled; null = the request is decided without the store. */
    @FunctionalInterface
    interface Answer {
        void of(@Nullable Reply reply);
    }

    /** Asks the store for all permits of a request or none. */
    void ask(StoreRequest request, Answer answer) {
        ask(request, answer, null);
    }

    /**
     * The same.
     *
     * @param account of the permit; null = the store alone
     */
    void ask(StoreRequest request, Answer answer, StorePermit.@Nullable Account account) {
        Acquire call = new Acquire(request, answer, account);
        if (!send(request.request().key(), call)) {
            call.decideAway();
        }
    }

    /** Completes a request, or lets it wait for its next attempt. */
    void settle(StoreRequest request, Decision decision) {
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
    private final class Acquire implements StoreCommand<Reply>, StorePermit.Account {
        private final StoreLimit limit = store.get();
        private final long sentAt = ticker.read();
        private final StoreRequest pending;
        private final Answer answer;
        private final StorePermit.@Nullable Account account;

        private Acquire(StoreRequest pending, Answer answer, StorePermit.@Nullable Account account) {
            this.pending = pending;
            this.answer = answer;
            this.account = account;
        }

        @Override
        public CompletionStage<Reply> send() {
            Request request = pending.request();
            return limit.acquire(request.key(), request.permits());
        }

        @Override
        public void answered(Reply reply) {
            try {
                answer.of(reply);
            } finally {
                decided(reply);
            }
        }

        private void decided(Reply reply) {
            Request request = pending.request();
            if (reply.granted() == 0) {
                settle(pending, refused(reply));
            } else {
                away.granted(request, reply.granted());
                StorePermit.Account corrects = account == null ? this : account;
                long counts = reply.counts(limit, sentAt);
                pending.complete(new StorePermit(corrects, request, reply, reply.remaining(), sentAt, counts));
            }
        }

        @Override
        public void refund(@Nullable Object key, long permits, long grantedAt, long counts) {
            correct(limit, key, permits, grantedAt, counts);
        }

        @Override
        public void settledAgain() {
            charges.countSettledAgain();
        }

        @Override
        public void notSent() {
            decideAway();
        }

        @Override
        public void failed() {
            charges.isInDoubt(pending.request().permits());
            decideAway();
        }

        private void decideAway() {
            try {
                answer.of(null);
            } finally {
                settle(pending, away.decide(pending.request()));
            }
        }

        @Override
        public void answeredLate(Reply reply) {
            charges.isInDoubt(-pending.request().permits());
            charges.refundCancelled(
                    limit, pending.request().key(), reply.granted(), sentAt, reply.counts(limit, sentAt));
        }
    }
}
