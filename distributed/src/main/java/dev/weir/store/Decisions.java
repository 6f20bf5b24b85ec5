package dev.weir.store;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.store.internal.DelayLine;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
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
    final Charges charges;
    final Away away;
    private final Retries retries;
    private final Supplier<StoreLimit> store;
    private final DelayLine<WaitingRequest> waiting;
    private final AtomicLong waits = new AtomicLong();

    Decisions(
            String name,
            Ticker ticker,
            StoreNodes nodes,
            Charges charges,
            Away away,
            Retries retries,
            Supplier<StoreLimit> store,
            Alarm alarm,
            long timeoutNanos) {
        this.name = name;
        this.ticker = ticker;
        this.nodes = nodes;
        this.charges = charges;
        this.away = away;
        this.retries = retries;
        this.store = store;
        this.waiting = new DelayLine<>(ticker, alarm, timeoutNanos, this::decideAway);
    }

    /** The limit that is in force now. */
    StoreLimit store() {
        return store.get();
    }

    long now() {
        return ticker.read();
    }

    /** True while the node of a key is not away. */
    boolean isUp(@Nullable Object key) {
        return nodes.isUp(key);
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

    /** The store has granted, or counted, permits of a key for this instance. */
    void granted(@Nullable Object key, long permits) {
        away.granted(new Request(permits, 0, key, Request.NO_DEADLINE), permits);
    }

    /**
     * Corrects what a permit has spent that the store has counted.
     *
     * @param permits more than 0 are refunded, as far as they have not refilled; less than 0 are charged
     */
    void correct(StoreLimit granter, @Nullable Object key, long permits, long grantedAt, long counts) {
        if (permits < 0) {
            granted(key, -permits);
        }
        charges.refundCancelled(granter, key, permits, grantedAt, counts);
    }

    /** Charges what was used beyond a grant with the next command for the key, or soon. */
    void chargeLater(@Nullable Object key, long permits) {
        if (permits > 0 && store.get().countsCost()) {
            granted(key, permits);
            charges.laterInAnyCase(key, permits);
        }
    }

    /**
     * Asks the store for all permits of a request or none.
     *
     * @param answer gets the answer before the request is settled; null = the request is decided without the store
     * @param account of the permit; null = the store alone
     */
    void ask(StoreRequest request, Consumer<@Nullable Reply> answer, StorePermit.@Nullable Account account) {
        acquire(request.request().key(), request.request().permits(), true, new Acquisition.Owner() {
            @Override
            public void answered(Acquisition asked, Reply reply) {
                try {
                    answer.accept(reply);
                } finally {
                    decided(request, asked, reply, account);
                }
            }

            @Override
            public void unanswered() {
                try {
                    answer.accept(null);
                } finally {
                    decideAway(request);
                }
            }
        });
    }

    private void decided(StoreRequest request, Acquisition asked, Reply reply, StorePermit.@Nullable Account account) {
        if (reply.granted() == 0) {
            settle(request, refused(reply));
        } else {
            away.granted(request.request(), reply.granted());
            request.complete(asked.permit(account, request.request(), reply, reply.remaining()));
        }
    }

    /**
     * Sends a command that takes permits of a key; if it cannot be sent, the owner is told so at once.
     *
     * @param isAll whether it takes all or none; otherwise as many as there are
     */
    void acquire(@Nullable Object key, long permits, boolean isAll, Acquisition.Owner owner) {
        StoreNode node = nodes.of(key);
        charges.before(key, node);
        if (!node.link().send(new Acquisition(this, key, permits, isAll, owner))) {
            owner.unanswered();
        }
    }

    /** A request that waits from now on; after the time-out it is decided without the store. */
    WaitingRequest waiting(StoreRequest request) {
        WaitingRequest added = new WaitingRequest(request, now());
        waiting.add(added);
        return added;
    }

    /** Decides a request that waits without the store, unless it was decided. */
    void decideAway(WaitingRequest undecided) {
        if (undecided.end()) {
            decideAway(undecided.request());
        }
    }

    private void decideAway(StoreRequest request) {
        settle(request, away.decide(request.request()));
    }

    /** Completes a request, or lets it wait for its next attempt. */
    void settle(StoreRequest request, Decision decision) {
        if (decision instanceof Permit || !request.waits) {
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
        long left = request.deadline - now;
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
}
