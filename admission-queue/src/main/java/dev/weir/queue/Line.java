package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Those who wait: their order of arrival, their discipline, their deadlines, and how those before them ended. */
final class Line {
    /*
     * Everything is guarded by the monitor, under which nobody is answered: who was ended here is handed back to be
     * answered afterwards. Nobody parks in it, and it is held for some dozens of nanoseconds, which who meets it spins for. `length` is also read without it: it is written before its writer asks, and a releaser reads it after
     * capacity is back.
     *
     * A waiter is in the line while it is in `arrivals`. It is there with its end behind it until whoever ended it comes
     * for the monitor, or somebody else meets it here and takes it out.
     */
    private static final int ENOUGH_GRANTS = 8;
    private static final int BATCH = 1 << 10;
    private static final long NONE = 0;

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
    private long pacedSince;
    private long pacedGrants;
    private long meanGap;
    private volatile int length;
    private volatile boolean timed;

    Line(QueueSpec spec, Function<Reason, Rejection> refusal) {
        this.spec = spec;
        this.discipline = made(spec.discipline());
        this.timed = !(discipline instanceof InOrder);
        this.refusal = refusal;
    }

    private Discipline made(DisciplineSpec asked) {
        return asked instanceof Fifo ? new InOrder() : asked.create();
    }

    /** {@link Fifo} without a chain of its own: its order is that of arrival. */
    private final class InOrder implements Discipline {
        @Override
        public boolean offer(Waiter newcomer) {
            return true;
        }

        @Override
        public @Nullable Waiter next(long now, Consumer<Waiter> shed) {
            return arrivals.first();
        }

        @Override
        public void remove(Waiter waiter) {}

        @Override
        public int ahead(Waiter newcomer) {
            return arrivals.size();
        }
    }

    int length() {
        return length;
    }

    /** Whether who is next depends on the time. */
    boolean isTimed() {
        return timed;
    }

    /**
     * Null once it is in the line, else why not. Who had to make room is {@link Waiter#madeRoom}. Who enters behind others
     * need not be asked for: whatever lets him in lets them in first, and they see to it.
     */
    @Nullable
    synchronized Reason enter(Waiter waiter) {
        boolean behind = spec.isFair() && ahead(waiter) > 0;
        Reason refused = refusedAtTheDoor(waiter);
        if (refused == null) {
            add(waiter);
            waiter.isBehind = behind && waiter.madeRoom == null && length > 1;
            waiter.alarmIn = waiter.heapIndex == 0 ? nextAlarm(waiter.since) : NONE;
        } else {
            refusals[refused.ordinal()]++;
        }
        return refused;
    }

    private @Nullable Reason refusedAtTheDoor(Waiter waiter) {
        if (closed) {
            return Reason.CANCELLED;
        }
        if (predicted(waiter) > waiter.patience) {
            return Reason.TIMED_OUT;
        }
        try {
            if (!hasRoomFor(waiter, null)) {
                Waiter out = spec.capacity() > 0 ? discipline.evict(waiter) : null;
                if (out == null || !hasRoomFor(waiter, out) || !makesRoom(out, waiter)) {
                    return Reason.QUEUE_FULL;
                }
            }
            return discipline.offer(waiter) ? null : Reason.SHED;
        } catch (Throwable t) {
            failures++;
            return Reason.SHED;
        }
    }

    /** Counts a refusal of one who did not enter. */
    synchronized void refused(Reason reason) {
        refusals[reason.ordinal()]++;
    }

    private boolean makesRoom(Waiter out, Waiter newcomer) {
        if (out.end(refusal.apply(Reason.SHED))) {
            newcomer.madeRoom = out;
        }
        return remove(out);
    }

    private boolean hasRoomFor(Waiter waiter, @Nullable Waiter evicted) {
        int others = arrivals.size() - (evicted == null ? 0 : 1);
        long taken = permits - (evicted == null ? 0 : evicted.request.permits());
        return others < spec.capacity() && waiter.request.permits() <= spec.maxPermits() - taken;
    }

    private void add(Waiter waiter) {
        arrivals.addLast(waiter.arrival);
        permits += waiter.request.permits();
        if (waiter.answer != null && !waiter.waitsForEver()) {
            deadlines.add(waiter);
        }
        length = arrivals.size();
    }

    /** False if it was not in the line. */
    private boolean shed(Waiter waiter, Reason why, List<Waiter> ended) {
        if (waiter.end(refusal.apply(why))) {
            ended.add(waiter);
        }
        return remove(waiter);
    }

    /** Takes out one that has ended; does nothing if somebody else did. */
    synchronized void leave(Waiter waiter) {
        remove(waiter);
    }

    /** Ends one and takes it out, so that who comes back at once does not meet himself; false if it had ended before. */
    synchronized boolean end(Waiter waiter, Decision decision) {
        boolean mine = waiter.end(decision);
        remove(waiter);
        return mine;
    }

    private boolean remove(Waiter waiter) {
        if (!arrivals.remove(waiter.arrival)) {
            return false;
        }
        permits -= waiter.request.permits();
        deadlines.remove(waiter);
        length = arrivals.size();
        if (length == 0) {
            asksAgain = false;
        }
        Decision ending = waiter.ending();
        if (ending instanceof Rejection rejection) {
            refusals[rejection.reason().ordinal()]++;
        } else {
            granted++;
            pacedGrants++;
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

    /*
     * By the mean gap between the last grants, at least ENOUGH_GRANTS of them since the line was last empty: no
     * evidence, no prediction. It is taken when somebody comes, so that granting needs no clock.
     */
    private long predicted(Waiter newcomer) {
        long now = newcomer.since;
        if (length == 0) {
            pacedSince = now;
            pacedGrants = 0;
            meanGap = 0;
            return NONE;
        }
        if (pacedGrants >= ENOUGH_GRANTS) {
            meanGap = Math.max(1, (now - pacedSince) / pacedGrants);
            pacedSince = now;
            pacedGrants = 0;
        }
        long ahead = meanGap == 0 ? 0 : ahead(newcomer);
        return ahead > 0 && ahead > Long.MAX_VALUE / meanGap ? Long.MAX_VALUE : ahead * meanGap;
    }

    private int ahead(Waiter newcomer) {
        try {
            return Math.max(0, discipline.ahead(newcomer));
        } catch (Throwable t) {
            failures++;
            return 0;
        }
    }

    /** How long this one would wait at least were it to come now; 0 where that is not known. */
    synchronized long predictedWait(Waiter newcomer) {
        return predicted(newcomer);
    }

    /** Who is to be asked for, now. Who is shed on the way joins {@code ended}. */
    @Nullable
    synchronized Waiter next(long now, List<Waiter> ended) {
        try {
            asksAgain = false;
            Waiter named = length == 0 ? null : discipline.next(now, out -> shed(out, Reason.SHED, ended));
            return length == 0 || isHere(named) ? named : arrivals.first();
        } catch (Throwable t) {
            failures++;
            return arrivals.first();
        }
    }

    /** Who may be asked for although this one was refused. */
    @Nullable
    synchronized Waiter after(Waiter refused) {
        try {
            Waiter named = discipline.after(refused);
            return named != null && isHere(named) ? named : null;
        } catch (Throwable t) {
            failures++;
            return null;
        }
    }

    /* A discipline that failed when it was told who came or left may name nobody, or one who is gone. */
    private boolean isHere(@Nullable Waiter named) {
        boolean here = named != null && arrivals.has(named.arrival);
        failures += here ? 0 : 1;
        return here;
    }

    /** Who of these has waited longest; the test must be quick. */
    @Nullable
    synchronized Waiter oldest(Predicate<Waiter> these) {
        Waiter waiter = arrivals.first();
        while (waiter != null && !these.test(waiter)) {
            waiter = waiter.arrival.next();
        }
        return waiter;
    }

    /** Asks for somebody to ask again at this time, or earlier if that was wished before. */
    synchronized void askAgain(long at) {
        if (!asksAgain || at - askAt < 0) {
            askAt = at;
        }
        asksAgain = true;
    }

    /** In how many nanoseconds another alarm must ring, which counts as set; 0 if none is needed. */
    synchronized long alarmIn(long now) {
        return nextAlarm(now);
    }

    private long nextAlarm(long now) {
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
    }

    /** An alarm that counted as set rings. */
    synchronized void alarmRang() {
        alarms.pollFirst();
    }

    /** Those whose time is over are added to {@code ended}. Whether the line is to be asked. */
    boolean endThoseDue(long now, List<Waiter> ended) {
        boolean asking = false;
        int before;
        do {
            before = ended.size();
            asking |= endSomeDue(now, ended);
        } while (ended.size() - before == BATCH);
        return asking;
    }

    private synchronized boolean endSomeDue(long now, List<Waiter> ended) {
        boolean asking = asksAgain && askAt - now <= 0;
        int most = ended.size() + BATCH;
        for (Waiter due = dueAt(now); due != null && ended.size() < most; due = dueAt(now)) {
            shed(due, Reason.TIMED_OUT, ended);
            asking |= due.asked;
        }
        return asking;
    }

    private @Nullable Waiter dueAt(long now) {
        Waiter first = deadlines.earliest();
        return first != null && now - first.since >= first.patience ? first : null;
    }

    /** Another line: those who wait move in order of arrival; whom it has no room for is added to {@code ended}. */
    void become(QueueSpec next, List<Waiter> ended) {
        become(next, made(next.discipline()), ended);
    }

    private synchronized void become(QueueSpec next, Discipline another, List<Waiter> ended) {
        List<Waiter> waiting = waiting();
        if (!next.discipline().equals(spec.discipline())) {
            discipline = another;
            timed = !(another instanceof InOrder);
            waiting.forEach(waiter -> move(waiter, ended));
        }
        spec = next;
        for (int i = waiting.size() - 1; i >= 0 && isOverfull(); i--) {
            shed(waiting.get(i), Reason.QUEUE_FULL, ended);
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
    synchronized void close(List<Waiter> ended) {
        closed = true;
        waiting().forEach(waiter -> shed(waiter, Reason.CANCELLED, ended));
    }

    synchronized void failed() {
        failures++;
    }

    synchronized QueueSnapshot snapshot(String name, long now, Waiter newcomer) {
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
    }
}
