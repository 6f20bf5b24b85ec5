package dev.weir.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.queue.Suspensions.Suspension;
import dev.weir.queue.discipline.Discipline;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.queue.discipline.Fifo;
import dev.weir.queue.discipline.Waiter;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The waiters of one queue: their order of arrival, their discipline, their deadlines, and how earlier ones ended. */
final class WaitList {
    /*
     * All state is guarded by the monitor, under which nothing is completed: waiters that were ended here are returned to
     * be completed afterwards. No thread parks in it, and it is held for some dozens of nanoseconds. Volatile and atomic fields
     * are also read without it. `length` is written before its writer runs the dispatcher, and a releaser reads it after it
     * returned the permits; the others, and a smaller `length`, need only be recent.
     *
     * A waiter is in the list while it is in `arrivals`: also after its end, until a thread in the monitor removes it.
     *
     * A waiter that requests more than the limit, because the limit fell while it waited, keeps its place but holds up no
     * other (`tooHeavy`): the discipline's choice is then replaced by the next of its subqueue, or else by the oldest of
     * the others.
     */
    private static final int BATCH = 1 << 10;
    private final Rejections rejections;
    private final ArrivalList arrivals = new ArrivalList();
    final Suspensions suspensions;

    @GuardedBy("this")
    private final GrantRate rate = new GrantRate();

    @GuardedBy("this")
    private final WaitCounts counts = new WaitCounts();

    @GuardedBy("this")
    private final AlarmPlan alarms = new AlarmPlan();

    @GuardedBy("this")
    private GuardedDiscipline order;

    @GuardedBy("this")
    private long permits;

    @GuardedBy("this")
    private long arrived;

    @GuardedBy("this")
    private final HeavyWaiters heavy = new HeavyWaiters();

    private volatile boolean closed;
    private volatile QueueSpec spec;
    private final AtomicInteger length = new AtomicInteger();
    private final AtomicInteger eligible = new AtomicInteger();
    private volatile boolean timed;

    WaitList(QueueSpec spec, Rejections rejections) {
        this.spec = spec;
        this.order = new GuardedDiscipline(created(spec.discipline()), counts);
        this.timed = !(order.discipline() instanceof ArrivalList.Order);
        this.rejections = rejections;
        this.suspensions = new Suspensions(counts);
    }

    private Discipline created(DisciplineSpec by) {
        return by instanceof Fifo ? new ArrivalList.Order(arrivals) : by.create();
    }

    QueueSpec spec() {
        return spec;
    }

    boolean isClosed() {
        return closed;
    }

    int length() {
        return length.get();
    }

    /** The number of waiters that go before new requests: all but those that are too heavy. */
    int eligible() {
        return eligible.get();
    }

    /** True if the order depends on the time. */
    boolean isTimed() {
        return timed;
    }

    /**
     * Adds a waiter; null once it is in the list, else why not. A waiter shed to make room is its {@link
     * QueuedRequest#shedForIt}. A waiter behind others need not be tried: the others are tried first, by every event that may
     * grant to one.
     */
    @Nullable
    synchronized Reason enter(QueuedRequest waiter) {
        waiter.sequence = arrived++;
        boolean behind = spec.isFair() && order.ahead(waiter) > 0;
        Reason refused = reasonOnEntry(waiter);
        if (refused == null) {
            add(waiter);
            waiter.isBehind = behind && waiter.shedForIt == null && eligible.get() > 1 && heavy.size() == 0;
            waiter.alarm = waiter.heapIndex < 0 ? null : alarms.next(waiter.since);
        } else {
            count(waiter, refused);
        }
        return refused;
    }

    @GuardedBy("this")
    private @Nullable Reason reasonOnEntry(QueuedRequest waiter) {
        if (closed) {
            return Reason.CANCELLED;
        }
        if (predictedNanos(waiter) > waiter.timeoutNanos && spec.predictive()) {
            return Reason.TIMED_OUT;
        }
        try {
            if (!hasRoomFor(waiter, null)) {
                QueuedRequest out =
                        spec.capacity() > 0 ? (QueuedRequest) order.discipline().shedFor(waiter) : null;
                if (out == null || !hasRoomFor(waiter, out) || !shed(out, waiter)) {
                    return Reason.QUEUE_FULL;
                }
            }
            return order.discipline().offer(waiter) ? null : Reason.SHED;
        } catch (Throwable t) {
            counts.failed();
            return Reason.SHED;
        }
    }

    @GuardedBy("this")
    private void count(QueuedRequest waiter, Reason refused) {
        if (!waiter.isCountedByReceiver()) {
            counts.refused(refused);
        }
    }

    /** Counts a rejection that was not counted when its wait ended, or of a request that did not enter. */
    synchronized void countRejection(Reason reason) {
        counts.refused(reason);
    }

    synchronized void countFailure() {
        counts.failed();
    }

    @GuardedBy("this")
    private boolean shed(QueuedRequest out, QueuedRequest newcomer) {
        if (out.end(rejections.of(Reason.SHED))) {
            newcomer.shedForIt = out;
        }
        return removed(out);
    }

    @GuardedBy("this")
    private boolean hasRoomFor(QueuedRequest waiter, @Nullable QueuedRequest without) {
        int others = arrivals.size() - (without == null ? 0 : 1);
        long taken = permits - (without == null ? 0 : without.request.permits());
        return others < spec.capacity() && waiter.request.permits() <= spec.maxPermits() - taken;
    }

    @GuardedBy("this")
    private void add(QueuedRequest waiter) {
        arrivals.addLast(waiter);
        permits += waiter.request.permits();
        alarms.add(waiter);
        updateLength(true);
    }

    @GuardedBy("this")
    private void updateLength(boolean more) {
        eligible.setRelease(arrivals.size() - heavy.size());
        if (more) {
            length.set(arrivals.size());
        } else {
            length.setRelease(arrivals.size());
        }
    }

    /** Notes whether a waiter requests more than the limit at present. */
    synchronized void tooHeavy(QueuedRequest waiter, boolean now) {
        if (waiter.tooHeavy != now && arrivals.contains(waiter)) {
            waiter.tooHeavy = now;
            if (now) {
                heavy.add(waiter);
            } else {
                heavy.remove(waiter);
                order.resume(waiter);
            }
            updateLength(true);
        }
    }

    /** Of the waiters that requested more than the limit when they were last tried: see {@link HeavyWaiters#next}. */
    @Nullable
    synchronized QueuedRequest nextTooHeavy(@Nullable QueuedRequest after, long atMost) {
        return heavy.next(after, atMost);
    }

    /** Ends a waiter with a rejection and adds it to {@code ended}, unless it has ended before. */
    private synchronized void refuse(Waiter out, Reason reason, EndedWaits ended) {
        QueuedRequest waiter = (QueuedRequest) out;
        if (end(waiter, rejections.of(reason))) {
            ended.add(waiter);
        }
    }

    /** Does nothing if another thread did. */
    synchronized void remove(QueuedRequest waiter) {
        removed(waiter);
    }

    /** Ends a waiter and removes it, so that a caller that comes back at once does not wait behind itself; false if too late. */
    synchronized boolean end(QueuedRequest waiter, Decision decision) {
        boolean first = waiter.end(decision);
        removed(waiter);
        return first;
    }

    /** As {@link #end}, then {@link #next}, which is set as {@link EndedWaits#tryNext}, in one entry of the monitor. */
    synchronized boolean endThenNext(QueuedRequest waiter, Decision decision, long now, EndedWaits ended) {
        boolean first = end(waiter, decision);
        ended.tryNext = next(now, ended);
        return first;
    }

    @GuardedBy("this")
    private boolean removed(QueuedRequest waiter) {
        if (!arrivals.remove(waiter)) {
            return false;
        }
        permits -= waiter.request.permits();
        alarms.remove(waiter);
        if (waiter.tooHeavy) {
            heavy.remove(waiter);
        }
        updateLength(false);
        if (arrivals.size() == 0) {
            alarms.noRetry();
        }
        if (waiter.decision() instanceof Rejection refused) {
            count(waiter, refused.reason());
        } else {
            counts.granted();
            rate.granted();
        }
        suspensions.resume(order, waiter);
        order.remove(waiter, waiter.decision() instanceof Permit);
        return true;
    }

    /* Computed on arrival, so that granting needs no clock. */
    @GuardedBy("this")
    private long predictedNanos(QueuedRequest newcomer) {
        if (arrivals.size() == 0) {
            rate.restart(newcomer.since);
            return 0;
        }
        return rate.minNanos(order.ahead(newcomer), newcomer.since);
    }

    /**
     * As {@link #next}, at the beginning of a round of attempts: waiters that need a retry plan it in this round. Until its
     * end the plan holds, also for a waiter that is not tried a second time.
     */
    @Nullable
    synchronized QueuedRequest first(long now, EndedWaits ended) {
        alarms.noRetry();
        Suspension first = suspensions.due(order, now);
        if (first != null) {
            alarms.retryAt(first.time());
        }
        return next(now, ended);
    }

    /** The waiter to try now. Waiters that are shed on the way are added to {@code ended}. */
    @Nullable
    synchronized QueuedRequest next(long now, EndedWaits ended) {
        try {
            Waiter chosen =
                    arrivals.size() == 0 ? null : order.discipline().next(now, out -> refuse(out, Reason.SHED, ended));
            boolean isNone = arrivals.size() == 0 || (chosen == null && !suspensions.isEmpty());
            return isNone || isHere(chosen) ? eligible(chosen) : oldestEligible();
        } catch (Throwable t) {
            counts.failed();
            return oldestEligible();
        }
    }

    @GuardedBy("this")
    private @Nullable QueuedRequest eligible(@Nullable Waiter chosen) {
        if (chosen == null || eligible.get() == 0) {
            return null;
        }
        QueuedRequest ofSubqueue = ((QueuedRequest) chosen).eligible(order);
        return ofSubqueue != null ? ofSubqueue : oldestEligible();
    }

    @GuardedBy("this")
    private @Nullable QueuedRequest oldestEligible() {
        return arrivals.first(waiter -> !waiter.tooHeavy);
    }

    @Nullable
    synchronized Object subqueue(QueuedRequest waiter) {
        return order.subqueue(waiter);
    }

    synchronized void suspend(QueuedRequest waiter, Object key, long now, long delay, int seen) {
        if (arrivals.contains(waiter)) {
            suspensions.suspend(order, waiter, key, now, delay, seen);
        }
    }

    synchronized void event(@Nullable Object key) {
        suspensions.event(order, key);
    }

    /** The waiter to try although this one was refused: of another subqueue, but first of the same one if this is too heavy. */
    @Nullable
    synchronized QueuedRequest after(QueuedRequest refused) {
        try {
            QueuedRequest chosen = refused.tooHeavy
                    ? refused
                    : (QueuedRequest) order.discipline().after(refused);
            QueuedRequest waiter = chosen == null ? null : chosen.eligible(order);
            for (int left = arrivals.size(); left > 0 && chosen != null && waiter == null; left--) {
                chosen = (QueuedRequest) order.discipline().after(chosen);
                waiter = chosen == null ? null : chosen.eligible(order);
            }
            return waiter != null && isHere(waiter) ? waiter : null;
        } catch (Throwable t) {
            counts.failed();
            return null;
        }
    }

    /* A discipline that threw when a waiter came or left may return none, or one that is gone. */
    @GuardedBy("this")
    private boolean isHere(@Nullable Waiter chosen) {
        boolean here = chosen instanceof QueuedRequest waiter && arrivals.contains(waiter);
        if (!here) {
            counts.failed();
        }
        return here;
    }

    /** The oldest waiter that matches; the test must be quick. */
    @Nullable
    synchronized QueuedRequest oldest(Predicate<QueuedRequest> test) {
        return arrivals.first(test);
    }

    synchronized void retryAt(long time) {
        alarms.retryAt(time);
    }

    @Nullable
    synchronized AlarmSetting nextAlarm(long now) {
        return alarms.next(now);
    }

    synchronized void cleared(AlarmSetting setting) {
        alarms.cleared(setting);
    }

    /** Ends the waiters that have timed out and adds them to {@code ended}. Whether the dispatcher must run. */
    boolean endTimedOut(long now, EndedWaits ended) {
        boolean dispatch = false;
        int before;
        do {
            before = ended.size();
            dispatch |= endSomeTimedOut(now, ended);
        } while (ended.size() - before == BATCH);
        return dispatch;
    }

    private synchronized boolean endSomeTimedOut(long now, EndedWaits ended) {
        boolean dispatch = alarms.isRetryDue(now);
        int max = ended.size() + BATCH;
        for (QueuedRequest due = alarms.timedOut(now); due != null && ended.size() < max; due = alarms.timedOut(now)) {
            refuse(due, Reason.TIMED_OUT, ended);
            dispatch |= due.attempted;
        }
        return dispatch;
    }

    /** Changes the specification: waiters move in order of arrival; those that are shed are added to {@code ended}. */
    void reconfigure(QueueSpec next, EndedWaits ended) {
        reconfigure(next, created(next.discipline()), ended);
    }

    private synchronized void reconfigure(QueueSpec next, Discipline other, EndedWaits ended) {
        suspensions.event(order, null);
        if (!next.discipline().equals(spec.discipline())) {
            order = new GuardedDiscipline(other, counts);
            timed = !(other instanceof ArrivalList.Order);
            for (QueuedRequest waiter : arrivals.all()) {
                if (!order.offer(waiter)) {
                    refuse(waiter, Reason.SHED, ended);
                }
            }
        }
        spec = next;
    }

    synchronized List<QueuedRequest> all() {
        return arrivals.all();
    }

    /** Refuses new waiters from now on; those that wait are ended and added to {@code ended}. The alarm to cancel. */
    @Nullable
    synchronized AlarmSetting close(EndedWaits ended) {
        closed = true;
        arrivals.all().forEach(waiter -> refuse(waiter, Reason.CANCELLED, ended));
        return alarms.pending;
    }

    synchronized QueueSnapshot snapshot(String name, QueuedRequest newcomer) {
        QueuedRequest oldest = arrivals.first();
        long oldestAgeNanos = oldest == null ? 0 : Math.max(0, newcomer.since - oldest.since);
        return counts.snapshot(name, spec, arrivals.size(), permits, oldestAgeNanos, predictedNanos(newcomer));
    }
}
