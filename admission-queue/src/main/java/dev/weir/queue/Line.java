package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Those who wait: their order of arrival, their discipline, their deadlines, and how those before them ended. */
final class Line {
    /*
     * Everything is guarded by `lock`, under which nobody is answered: who was ended here is handed back to be answered
     * afterwards. `length` is also read without it: it is written before its writer asks, and a releaser reads it after
     * capacity is back.
     *
     * A waiter is in the line while it is in `arrivals`. It is there with its end behind it until whoever ended it comes
     * for the lock, or somebody else meets it here and takes it out.
     */
    private static final int ENOUGH_GAPS = 8;
    private static final int BATCH = 1 << 10;
    private static final long NONE = 0;

    private final ReentrantLock lock = new ReentrantLock();
    private final Function<Reason, Rejection> refusal;
    private final Chain arrivals = new Chain();
    private final Deadlines deadlines = new Deadlines();
    /** When the alarms ring that are set and have not rung, the next one first: each was set because it is earlier. */
    private final ArrayDeque<Long> alarms = new ArrayDeque<>();

    private final long[] refusals = new long[Reason.values().length];
    private long granted;
    private long failures;
    private QueueSpec spec;
    private Discipline discipline;
    private boolean closed;
    private long permits;
    private boolean asksAgain;
    private long askAt;
    private boolean granting;
    private long grantedAt;
    private int gaps;
    private long meanGap;
    private volatile int length;

    Line(QueueSpec spec, Function<Reason, Rejection> refusal) {
        this.spec = spec;
        this.discipline = spec.discipline().create();
        this.refusal = refusal;
    }

    int length() {
        return length;
    }

    /** Null once it is in the line, else why not. Who had to make room is added to {@code ended}. */
    @Nullable
    Reason enter(Waiter waiter, List<Waiter> ended) {
        lock.lock();
        try {
            Reason refused = refusedAtTheDoor(waiter, ended);
            if (refused == null) {
                add(waiter);
            } else {
                refusals[refused.ordinal()]++;
            }
            return refused;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Reason refusedAtTheDoor(Waiter waiter, List<Waiter> ended) {
        if (closed) {
            return Reason.CANCELLED;
        }
        if (predicted(waiter) > waiter.patience) {
            return Reason.TIMED_OUT;
        }
        try {
            while (!hasRoomFor(waiter)) {
                boolean everFits = spec.capacity() > 0 && waiter.request.permits() <= spec.maxPermits();
                Waiter out = everFits ? discipline.evict(waiter) : null;
                if (out == null) {
                    return Reason.QUEUE_FULL;
                }
                shed(out, Reason.SHED, ended);
            }
            return discipline.offer(waiter) ? null : Reason.SHED;
        } catch (Throwable t) {
            failures++;
            return Reason.SHED;
        }
    }

    /** Counts a refusal of one who did not enter. */
    void refused(Reason reason) {
        lock.lock();
        try {
            refusals[reason.ordinal()]++;
        } finally {
            lock.unlock();
        }
    }

    private boolean hasRoomFor(Waiter waiter) {
        return arrivals.size() < spec.capacity() && waiter.request.permits() <= spec.maxPermits() - permits;
    }

    private void add(Waiter waiter) {
        arrivals.addLast(waiter.arrival);
        permits += waiter.request.permits();
        if (waiter.answer != null && !waiter.waitsForEver()) {
            deadlines.add(waiter);
        }
        length = arrivals.size();
    }

    private void shed(Waiter waiter, Reason why, List<Waiter> ended) {
        if (waiter.end(refusal.apply(why))) {
            ended.add(waiter);
        }
        remove(waiter);
    }

    /** Takes out one that has ended; does nothing if somebody else did. */
    void leave(Waiter waiter, long now) {
        lock.lock();
        try {
            if (remove(waiter) && waiter.ending() instanceof Permit) {
                paced(now);
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean remove(Waiter waiter) {
        if (!arrivals.remove(waiter.arrival)) {
            return false;
        }
        permits -= waiter.request.permits();
        deadlines.remove(waiter);
        length = arrivals.size();
        if (length == 0) {
            granting = false;
            asksAgain = false;
            gaps = 0;
        }
        Decision ending = waiter.ending();
        if (ending instanceof Rejection rejection) {
            refusals[rejection.reason().ordinal()]++;
        } else {
            granted++;
        }
        try {
            if (ending instanceof Rejection) {
                discipline.remove(waiter);
            } else {
                discipline.granted(waiter);
            }
        } catch (Throwable t) {
            failures++;
        }
        return true;
    }

    private void paced(long now) {
        if (granting) {
            long gap = Math.max(0, now - grantedAt);
            meanGap = gaps == 0 ? gap : meanGap + (gap - meanGap) / ENOUGH_GAPS;
            gaps = Math.min(ENOUGH_GAPS, gaps + 1);
        }
        granting = length > 0;
        grantedAt = now;
    }

    /* By the pace of the grants since the line was last empty: no evidence, no prediction. */
    private long predicted(Waiter newcomer) {
        if (gaps < ENOUGH_GAPS) {
            return NONE;
        }
        try {
            long ahead = Math.max(0, discipline.ahead(newcomer));
            return meanGap > 0 && ahead > Long.MAX_VALUE / meanGap ? Long.MAX_VALUE : ahead * meanGap;
        } catch (Throwable t) {
            failures++;
            return NONE;
        }
    }

    /** How long this one would wait at least were it to come now; 0 where that is not known. */
    long predictedWait(Waiter newcomer) {
        lock.lock();
        try {
            return predicted(newcomer);
        } finally {
            lock.unlock();
        }
    }

    /** Who is to be asked for, now. Who was shed on the way is added to {@code ended}. */
    @Nullable
    Waiter next(long now, List<Waiter> ended) {
        lock.lock();
        try {
            asksAgain = false;
            return length == 0 ? null : discipline.next(now, out -> shed(out, Reason.SHED, ended));
        } catch (Throwable t) {
            failures++;
            return arrivals.first();
        } finally {
            lock.unlock();
        }
    }

    /** Who may be asked for although this one was refused. */
    @Nullable
    Waiter after(Waiter refused) {
        lock.lock();
        try {
            return discipline.after(refused);
        } catch (Throwable t) {
            failures++;
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** Who of these has waited longest. */
    @Nullable
    Waiter oldest(Predicate<Waiter> these) {
        lock.lock();
        try {
            Waiter waiter = arrivals.first();
            while (waiter != null && !these.test(waiter)) {
                waiter = waiter.arrival.next();
            }
            return waiter;
        } finally {
            lock.unlock();
        }
    }

    /** Asks for somebody to ask again at this time, or earlier if that was wished before. */
    void askAgain(long at) {
        lock.lock();
        try {
            if (!asksAgain || at - askAt < 0) {
                askAt = at;
            }
            asksAgain = true;
        } finally {
            lock.unlock();
        }
    }

    /** In how many nanoseconds another alarm must ring, which counts as set; 0 if none is needed. */
    long nextAlarm(long now) {
        lock.lock();
        try {
            Waiter first = deadlines.earliest();
            if (first == null && !asksAgain) {
                return NONE;
            }
            long at = first == null ? askAt : first.since + first.patience;
            if (asksAgain && askAt - at < 0) {
                at = askAt;
            }
            Long pending = alarms.peekFirst();
            if (pending != null && pending - at <= 0) {
                return NONE;
            }
            long wait = Math.max(1, at - now);
            alarms.addFirst(now + wait);
            return wait;
        } finally {
            lock.unlock();
        }
    }

    /** An alarm has rung: those whose time is over are added to {@code ended}. Whether the line is to be asked. */
    boolean rung(long now, List<Waiter> ended) {
        boolean asking = false;
        boolean first = true;
        for (boolean more = true; more; first = false) {
            lock.lock();
            try {
                if (first) {
                    alarms.pollFirst();
                }
                Waiter due = dueAt(now);
                for (int i = 0; i < BATCH && due != null; i++, due = dueAt(now)) {
                    asking |= due.refused;
                    shed(due, Reason.TIMED_OUT, ended);
                }
                more = due != null;
                asking |= asksAgain && askAt - now <= 0;
            } finally {
                lock.unlock();
            }
        }
        return asking;
    }

    private @Nullable Waiter dueAt(long now) {
        Waiter first = deadlines.earliest();
        return first != null && now - first.since >= first.patience ? first : null;
    }

    /** Another line: those who wait move in order of arrival; whom it has no room for is added to {@code ended}. */
    void become(QueueSpec next, List<Waiter> ended) {
        Discipline another = next.discipline().create();
        lock.lock();
        try {
            List<Waiter> waiting = waiting();
            if (!next.discipline().equals(spec.discipline())) {
                discipline = another;
                waiting.forEach(waiter -> move(waiter, ended));
            }
            spec = next;
            for (int i = waiting.size() - 1; i >= 0 && isOverfull(); i--) {
                shed(waiting.get(i), Reason.QUEUE_FULL, ended);
            }
        } finally {
            lock.unlock();
        }
    }

    private void move(Waiter waiter, List<Waiter> ended) {
        boolean taken = false;
        try {
            taken = discipline.offer(waiter);
        } catch (Throwable t) {
            failures++;
        }
        if (!taken) {
            shed(waiter, Reason.SHED, ended);
        }
    }

    private boolean isOverfull() {
        return arrivals.size() > spec.capacity() || permits > spec.maxPermits();
    }

    private List<Waiter> waiting() {
        List<Waiter> waiting = new ArrayList<>(arrivals.size());
        for (Waiter waiter = arrivals.first(); waiter != null; waiter = waiter.arrival.next()) {
            waiting.add(waiter);
        }
        return waiting;
    }

    /** Nobody enters any more; those who wait are refused and added to {@code ended}. */
    void close(List<Waiter> ended) {
        lock.lock();
        try {
            closed = true;
            waiting().forEach(waiter -> shed(waiter, Reason.CANCELLED, ended));
        } finally {
            lock.unlock();
        }
    }

    void failed() {
        lock.lock();
        try {
            failures++;
        } finally {
            lock.unlock();
        }
    }

    QueueSnapshot snapshot(String name, long now, Waiter newcomer) {
        lock.lock();
        try {
            Waiter head = arrivals.first();
            return new QueueSnapshot(
                    name,
                    spec,
                    length,
                    permits,
                    head == null ? 0 : Math.max(0, now - head.since),
                    predicted(newcomer),
                    granted,
                    refusals[Reason.TIMED_OUT.ordinal()],
                    refusals[Reason.SHED.ordinal()],
                    refusals[Reason.QUEUE_FULL.ordinal()],
                    refusals[Reason.CANCELLED.ordinal()],
                    failures);
        } finally {
            lock.unlock();
        }
    }
}
