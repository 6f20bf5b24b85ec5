package dev.weir.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Permit.Quota;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The permits of one key that were taken in advance, and the requests that wait for the next ones. Thread-safe. */
final class Batches {
    /*
     * Permits are granted from two batches without a lock: the older, and the one that was asked for before the older was used
     * up. What follows from an answer is computed under the monitor, and carried out without it. Batches are published after
     * the requests that waited have been served, so no request overtakes.
     */

    /** The steps to take after an answer. */
    record Steps(Batch batch, List<StoreRequest> granted, List<WaitingRequest> refused, long refund, long ask) {}

    private record Told(Reply reply, long at) {}

    /** A batch is to be used up in this part of its time, at the rate at which the last one was used. */
    private static final long PARTS = 4;

    /** A batch is at most so many times as large as the last one, and no smaller than half of it. */
    private static final long GROWTH = 4;

    private final @Nullable Object key;
    private final long maxUnused;
    private final long expiry;
    private final Batch none;

    @GuardedBy("this")
    private final Deque<WaitingRequest> waiting = new ArrayDeque<>();

    private volatile Batch first;
    private volatile Batch second;
    private volatile boolean asking;

    private volatile long roundTrip;

    private volatile @Nullable Told told;

    /** {@link Reply#counts} of the last batch. */
    private volatile long counts;

    /** The same of the oldest batch that has permits. */
    private volatile long earliest;

    @GuardedBy("this")
    private long size = 1;

    @GuardedBy("this")
    private boolean wasFull;

    @GuardedBy("this")
    private boolean retired;

    Batches(@Nullable Object key, long maxUnused, long expiry, long now) {
        this.key = key;
        this.maxUnused = maxUnused;
        this.expiry = expiry;
        this.none = new Batch(this, 0, now - expiry, expiry);
        this.first = none;
        this.second = none;
    }

    @Nullable
    Object key() {
        return key;
    }

    long counts() {
        return counts;
    }

    long earliest() {
        return earliest;
    }

    /**
     * The rejection of a request for one permit, if the last answer granted nothing and is used still. What others return is seen after the
     * expiry, when they return it.
     */
    @Nullable
    Rejection refused(Decisions decisions, long now) {
        Told last = told;
        if (last == null || last.reply.granted() > 0) {
            return null;
        }
        long wait = Math.max(1, last.reply.retryAfterNanos());
        long passed = now - last.at;
        return passed < Math.min(wait, expiry)
                ? decisions.refused(Reason.RATE, wait - passed, last.reply.limit())
                : null;
    }

    /** The figures of the last answer, with what is left of the batches; null if it granted nothing, or is old. */
    @Nullable
    Quota quota(long now) {
        Told last = told;
        return last == null || last.reply.granted() == 0 || now - last.at >= expiry
                ? null
                : last.reply.quota(last.reply.remaining() + first.left(now) + second.left(now), now - last.at);
    }

    /** Takes permits; -1 if there are none, 1 if it is time to ask for more, otherwise 0. */
    int take(long permits, long now) {
        Batch from = first;
        long left = from.take(permits, now);
        if (left < 0) {
            from = second;
            left = from.take(permits, now);
        }
        if (left < 0) {
            return -1;
        }
        return !asking && isLow(from, left, now) && isLast(from, now) ? 1 : 0;
    }

    /* What is left of a batch lasts for two round trips, and it is used as fast as batches are to be. */
    private boolean isLow(Batch from, long left, long now) {
        long passed = now - from.since();
        double used = from.permits - left;
        return from.permits > 1 && passed < 2 * (expiry / PARTS) && (double) left * passed <= 2 * roundTrip * used;
    }

    /* The other batch is looked at last: with many keys it is not in the processor's cache. */
    private boolean isLast(Batch from, long now) {
        Batch last = second;
        return from == last || last.left(now) == 0;
    }

    /** The number of permits to ask for in advance; 0 = none. */
    synchronized long refill(long now) {
        if (asking || retired || (first.left(now) > 0 && second.left(now) > 0)) {
            return 0;
        }
        return asked(0, now);
    }

    /** Adds a request; how many permits to ask for now, 0 = none, -1 if this is not used any more. */
    synchronized long await(WaitingRequest added, long now) {
        if (retired) {
            return -1;
        }
        waiting.add(added);
        return asking ? 0 : asked(demand(), now);
    }

    @GuardedBy("this")
    private long demand() {
        return waiting.stream()
                .filter(one -> !one.isDone())
                .mapToLong(one -> one.request().request().permits())
                .sum();
    }

    @GuardedBy("this")
    private long asked(long demand, long now) {
        size = size(second, now);
        long unused = first.left(now) + second.left(now);
        long permits = Math.max(demand, Math.min(size, demand + maxUnused - unused));
        asking = permits > 0;
        return permits;
    }

    /* As many as last for a part of the expiry, by how long the last batch has taken. */
    @GuardedBy("this")
    private long size(Batch last, long now) {
        long passed = Math.max(1, now - last.since());
        if (!wasFull || passed >= expiry) {
            return size;
        }
        double used = last.permits - last.left(now);
        long wanted = (long) (used * ((double) expiry / PARTS / passed));
        long most = size < maxUnused / GROWTH ? GROWTH * size : maxUnused;
        return Math.max(Math.max(1, size / 2), Math.min(wanted, most));
    }

    /** Serves the requests that wait, in their order. */
    synchronized Steps answered(Reply reply, long asked, long sentAt, long countsNow, long now) {
        roundTrip = now - sentAt;
        Batch batch = new Batch(this, reply.granted(), sentAt, expiry);
        boolean isEmpty = reply.granted() == 0;
        told = new Told(reply, now);
        if (!isEmpty) {
            earliest = first.left(now) + second.left(now) == 0 ? countsNow : counts;
            counts = countsNow;
        }
        wasFull = reply.granted() >= asked;
        Steps steps = new Steps(batch, new ArrayList<>(), new ArrayList<>(), 0, 0);
        for (int i = waiting.size(); i > 0; i--) {
            serve(waiting.remove(), batch, reply.granted() < asked, now, steps);
        }
        long unused = first.left(now) + second.left(now) + batch.left(now);
        long refund = batch.takeUpTo(retired ? Long.MAX_VALUE : Math.max(0, unused - maxUnused));
        if (first.left(now) == 0) {
            first = second;
            second = batch;
        } else {
            refund += second.takeUpTo(Long.MAX_VALUE);
            second = batch;
        }
        asking = false;
        long next = waiting.isEmpty() ? 0 : asked(demand(), now);
        return new Steps(batch, steps.granted, steps.refused, refund, next);
    }

    @GuardedBy("this")
    private void serve(WaitingRequest one, Batch batch, boolean isPart, long now, Steps steps) {
        long permits = one.request().request().permits();
        boolean isGranted = !one.isDone() && one.endIf(() -> takes(permits, batch, now));
        if (isGranted) {
            steps.granted.add(one.request());
        } else if (!one.isDone()) {
            (isPart ? steps.refused : waiting).add(one);
        }
    }

    /* The last batch was asked for by those that wait. */
    private boolean takes(long permits, Batch last, long now) {
        return first.take(permits, now) >= 0 || second.take(permits, now) >= 0 || last.take(permits, last.since()) >= 0;
    }

    /** There was no answer: the requests that waited for it. */
    synchronized List<WaitingRequest> failed() {
        List<WaitingRequest> left = new ArrayList<>(waiting);
        waiting.clear();
        asking = false;
        return left;
    }

    /** A batch has expired with so many permits left. */
    synchronized void expired(Batch batch, long left) {
        size = Math.max(1, Math.min(size, batch.permits - left));
    }

    /** Takes as many permits as there are, at most so many, for what was used beyond a grant; how many. */
    long spend(long most) {
        long taken = first.takeUpTo(most);
        return taken + second.takeUpTo(most - taken);
    }

    /** Adds permits that were granted and not used, as far as there is room in a batch that has some left; how many. */
    synchronized long putBack(long most, long now) {
        Batch to = second.left(now) > 0 ? second : first;
        long unused = first.left(now) + second.left(now);
        long back = to.left(now) > 0 && !retired ? Math.min(most, maxUnused - unused) : 0;
        return back > 0 && to.putBack(back) ? back : 0;
    }

    /** Is used no more; how many permits to refund. */
    synchronized long retire() {
        retired = true;
        return first.takeUpTo(Long.MAX_VALUE) + second.takeUpTo(Long.MAX_VALUE);
    }
}
