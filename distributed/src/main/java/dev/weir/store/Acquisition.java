package dev.weir.store;

import dev.weir.Request;
import dev.weir.store.internal.StoreCommand;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A command that takes permits of a key. What a late answer grants is refunded. */
final class Acquisition implements StoreCommand<Reply>, StorePermit.Account {
    /** The requests that ask for the permits. One of the methods is called, once. */
    interface Owner {
        /** The store has answered in time. */
        void answered(Acquisition asked, Reply reply);

        /** There is no answer: the requests are decided without the store. */
        void unanswered();
    }

    private final Decisions decisions;
    private final StoreLimit limit;
    final long sentAt;
    private final @Nullable Object key;
    final long permits;
    private final boolean isAll;
    private final Owner owner;

    /** @param isAll whether it takes all permits or none; otherwise as many as there are */
    Acquisition(Decisions decisions, @Nullable Object key, long permits, boolean isAll, Owner owner) {
        this.decisions = decisions;
        this.limit = decisions.store();
        this.sentAt = decisions.now();
        this.key = key;
        this.permits = permits;
        this.isAll = isAll;
        this.owner = owner;
    }

    /** See {@link Reply#counts}; the reading is that at which the permits were granted. */
    long counts(Reply reply, long grantedAt) {
        return reply.counts(limit, grantedAt);
    }

    /**
     * A permit by this answer.
     *
     * @param account corrects it; null = this, and so the store alone
     */
    StorePermit permit(StorePermit.@Nullable Account account, Request request, Reply reply, long remaining) {
        StorePermit.Account corrects = account == null ? this : account;
        return new StorePermit(corrects, request, reply, remaining, sentAt, counts(reply, sentAt));
    }

    /** Refunds what was granted and is not used. */
    void refund(long unused, Reply reply) {
        refund(key, unused, sentAt, counts(reply, sentAt));
    }

    @Override
    public void refund(@Nullable Object of, long unused, long grantedAt, long counts) {
        decisions.correct(limit, of, unused, grantedAt, counts);
    }

    @Override
    public void settledAgain() {
        decisions.charges.countSettledAgain();
    }

    @Override
    public CompletionStage<Reply> send() {
        return isAll ? limit.acquire(key, permits) : limit.acquireUpTo(key, permits);
    }

    @Override
    public void answered(Reply reply) {
        owner.answered(this, reply);
    }

    @Override
    public void notSent() {
        owner.unanswered();
    }

    @Override
    public void failed() {
        decisions.charges.isInDoubt(permits);
        owner.unanswered();
    }

    @Override
    public void answeredLate(Reply reply) {
        decisions.charges.isInDoubt(-permits);
        refund(reply.granted(), reply);
    }
}
