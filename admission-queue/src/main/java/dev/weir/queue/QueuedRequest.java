package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Request;
import dev.weir.queue.Suspensions.Suspension;
import dev.weir.queue.discipline.Waiter;
import dev.weir.spi.Gate;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A request in a wait list: a {@link Waiter} with what the queue needs to grant or end it. */
final class QueuedRequest implements Waiter {
    /*
     * `decision` is written once, by compare-and-set: grant, time-out, interrupt, cancel, shed and close meet there. Then the
     * waiter is removed from the list, by the writer or by another thread that finds it there first. A thread that grants too
     * late holds a permit without a waiter, and releases it.
     */
    private static final AtomicReferenceFieldUpdater<QueuedRequest, Decision> DECISION =
            AtomicReferenceFieldUpdater.newUpdater(QueuedRequest.class, Decision.class, "decision");

    final Request request;
    final long since;
    final long timeoutNanos;
    /** The thread that is blocked; null where there is a completion. */
    final @Nullable Thread thread;

    final @Nullable Completion completion;
    /** The data that the gate records of the request: on arrival, or later if there was none. */
    private volatile @Nullable Object requestData;

    /** Its links in the list of arrivals. Out of the list, the previous one is this. */
    @Nullable
    QueuedRequest previous = this;

    /** Then, out of the list, its link in {@link EndedWaits}. */
    @Nullable
    QueuedRequest next;

    long sequence;
    private @Nullable Object attachment;
    int heapIndex = -1;
    /**
     * True once the gate was tried for it, so that its leaving may let others acquire. Written before the dispatcher reads
     * {@link #decision}, read by the thread that removes it after that was written: one of the two sees the other.
     */
    volatile boolean attempted;

    int rejections;
    /** True if others are tried first, by the list when it entered. */
    boolean isBehind;
    /** The alarm that must be set because it entered. */
    @Nullable
    AlarmSetting alarm;
    /** The waiter that was shed to make room for it, and has to be completed. */
    @Nullable
    QueuedRequest shedForIt;
    /** The requests that the limit could grant when it arrived. */
    final Predicate<Request> grantableOnArrival;
    /** True once it is known that the limit has had room for it. */
    volatile boolean fitted;
    /** True while it requests more than the limit: others go first meanwhile. Written by its list. */
    volatile boolean tooHeavy;
    /** Why its subqueue is left out; null if it is not, or for another waiter. Under the monitor of the {@link WaitList}. */
    @Nullable
    Suspension suspension;
    /** The time after {@link #since} at which a blocked thread tries again by itself; 0 = not before its timeout. */
    volatile long retryAfter;

    private volatile @Nullable Decision decision;

    QueuedRequest(
            Request request,
            long since,
            long timeoutNanos,
            @Nullable Thread thread,
            @Nullable Completion completion,
            @Nullable Object requestData,
            Predicate<Request> grantableOnArrival) {
        this.grantableOnArrival = grantableOnArrival;
        if (requestData != null) {
            this.requestData = requestData;
        }
        this.request = request;
        this.since = since;
        this.timeoutNanos = timeoutNanos;
        this.thread = thread;
        this.completion = completion;
    }

    @Override
    public Request request() {
        return request;
    }

    @Override
    public long since() {
        return since;
    }

    @Override
    public long sequence() {
        return sequence;
    }

    @Override
    public long timeoutNanos() {
        return timeoutNanos;
    }

    @Override
    public @Nullable Object attachment() {
        return attachment;
    }

    @Override
    public void attach(Object attached) {
        attachment = attached;
    }

    boolean isCountedByReceiver() {
        return completion != null && completion.isCountedByReceiver();
    }

    /**
     * This waiter, or the next of its subqueue that is not too heavy; null if all of them are. Where there are no subqueues, each
     * waiter counts as one. Under the monitor of the {@link WaitList}.
     */
    @Nullable
    QueuedRequest eligible(GuardedDiscipline order) {
        if (!tooHeavy) {
            return this;
        }
        Iterable<Waiter> subqueue = order.subqueue(this);
        if (subqueue != null) {
            for (Waiter waiter : subqueue) {
                if (!((QueuedRequest) waiter).tooHeavy) {
                    return (QueuedRequest) waiter;
                }
            }
        }
        return null;
    }

    @Nullable
    Object requestData(Gate gate) {
        Object kept = requestData;
        if (kept == null) {
            kept = gate.requestData();
            if (kept != null) {
                requestData = kept;
            }
        }
        return kept;
    }

    /** Null as long as it waits. */
    @Nullable
    Decision decision() {
        return decision;
    }

    /** Ends the wait; false if it has ended before. */
    boolean end(Decision with) {
        return DECISION.compareAndSet(this, null, with);
    }

    @Override
    public String toString() {
        return "Waiter[" + request + (decision == null ? ", waits]" : ", " + decision + "]");
    }
}
