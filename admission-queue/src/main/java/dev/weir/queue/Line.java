package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Those who wait: their order of arrival, their discipline, their deadlines, and how those before them ended. */
final class Line {
    /*
     * Everything is guarded by the monitor, under which nothing is completed: waiters that were ended here are handed back
     * to be completed afterwards. No thread parks in it, and it is held for some dozens of nanoseconds. `length` is also
     * read without it: it is written before its writer asks, and a releaser reads it after capacity is back.
     *
     * A waiter is in the line while it is in `arrivals`. It stays there after its end until whoever ended it enters the
     * monitor, or another thread finds it and takes it out.
     *
     * A waiter that asks for more than the limit, because the limit fell while it waited, keeps its place but holds nobody
     * up (`tooHeavy`): the discipline's choice is then replaced by the next of its lane, or else by the oldest of the others.
     */
    private static final int BATCH = 1 << 10;
    /** By how much an alarm may be late before it counts as lost. */
    private static final long LATE = 1_000_000;

    private final Function<Reason, Rejection> refusal;
    private final Chain arrivals = new Chain();
    private final Deadlines deadlines = new Deadlines();
    private final Pace pace = new Pace();
    /** The alarm that is set and has not rung. */
    private @Nullable Ring ring;

    private final long[] refusals = new long[Reason.values().length];
    private long granted;
    private long failures;
    private QueueSpec spec;
    private Discipline discipline;
    private boolean closed;
    private long permits;
    private boolean asksAgain;
    private long askAt;
    private int tooHeavy;
    private volatile int length;
    private volatile int inTurn;
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

    /** How many wait and go before newcomers: all but those that ask for more than the limit. */
    int inTurn() {
        return inTurn;
    }

    /** Whether who is next depends on the time. */
    boolean isTimed() {
        return timed;
    }

    /**
     * Null once it is in the line, else why not. Who had to make room is {@link Waiter#madeRoom}. A waiter behind others
     * need not be asked for: the gate is asked for them first, by whatever may let one in.
     */
    @Nullable
    synchronized Reason enter(Waiter waiter) {
        boolean behind = spec.isFair() && ahead(waiter) > 0;
        Reason refused = refusedAtTheDoor(waiter);
        if (refused == null) {
            add(waiter);
            waiter.isBehind = behind && waiter.madeRoom == null && inTurn > 1 && tooHeavy == 0;
            waiter.ring = waiter.heapIndex < 0 ? null : nextRing(waiter.since);
        } else {
            count(waiter, refused);
        }
        return refused;
    }

    private @Nullable Reason refusedAtTheDoor(Waiter waiter) {
        if (closed) {
            return Reason.CANCELLED;
        }
        if (predicted(waiter) > waiter.patience && spec.predictive()) {
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

    private void count(Waiter waiter, Reason refused) {
        refusals[refused.ordinal()] += waiter.isCountedLater() ? 0 : 1;
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
        counted();
    }

    private void counted() {
        inTurn = arrivals.size() - tooHeavy;
        length = arrivals.size();
    }

    /** Whether it asks for more than the limit at present. */
    synchronized void isTooHeavy(Waiter waiter, boolean now) {
        if (waiter.tooHeavy != now && arrivals.has(waiter.arrival)) {
            waiter.tooHeavy = now;
            tooHeavy += now ? 1 : -1;
            counted();
        }
    }

    /** Those that asked for more than the limit when they were last asked for, in order of arrival. */
    synchronized List<Waiter> tooHeavy() {
        return tooHeavy == 0
                ? List.of()
                : waiting().stream().filter(waiter -> waiter.tooHeavy).toList();
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
        tooHeavy -= waiter.tooHeavy ? 1 : 0;
        counted();
        if (length == 0) {
            asksAgain = false;
        }
        Decision ending = waiter.ending();
        if (ending instanceof Rejection rejection) {
            count(waiter, rejection.reason());
        } else {
            granted++;
            pace.granted();
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

    /* Counted when somebody comes, so that granting needs no clock. */
    private long predicted(Waiter newcomer) {
        if (length == 0) {
            pace.restart(newcomer.since);
            return 0;
        }
        return pace.least(ahead(newcomer), newcomer.since);
    }

    private int ahead(Waiter newcomer) {
        try {
            return Math.max(0, discipline.ahead(newcomer));
        } catch (Throwable t) {
            failures++;
            return 0;
        }
    }

    /**
     * As {@link #next}, at the beginning of a round: whoever has to be asked for again says so in this round. Until its
     * end that holds, also of one that is not asked for a second time.
     */
    @Nullable
    synchronized Waiter first(long now, List<Waiter> ended) {
        asksAgain = false;
        return next(now, ended);
    }

    /** Who is to be asked for, now. Who is shed on the way joins {@code ended}. */
    @Nullable
    synchronized Waiter next(long now, List<Waiter> ended) {
        try {
            Waiter named = length == 0 ? null : discipline.next(now, out -> shed(out, Reason.SHED, ended));
            return length == 0 || isHere(named) ? inTurn(named) : inTurn(arrivals.first());
        } catch (Throwable t) {
            failures++;
            return inTurn(arrivals.first());
        }
    }

    private @Nullable Waiter inTurn(@Nullable Waiter named) {
        Waiter ofLane = inTurnOfLane(named);
        return named == null || ofLane != null ? ofLane : oldest(waiter -> !waiter.tooHeavy);
    }

    /* Null if all of its lane ask for too much; it stands for a lane itself where its discipline has none. */
    private static @Nullable Waiter inTurnOfLane(@Nullable Waiter first) {
        Waiter waiter = first;
        while (waiter != null && waiter.tooHeavy) {
            waiter = waiter.lane == null ? null : waiter.place().next();
        }
        return waiter;
    }

    /** Who may be asked for although this one was refused. */
    @Nullable
    synchronized Waiter after(Waiter refused) {
        try {
            Waiter named = discipline.after(refused);
            Waiter waiter = inTurnOfLane(named);
            for (int left = length; left > 0 && named != null && waiter == null; left--) {
                named = discipline.after(named);
                waiter = inTurnOfLane(named);
            }
            return waiter != null && isHere(waiter) ? waiter : null;
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

    /** The alarm that must be set now, which counts as set from here on; null if none is needed. */
    @Nullable
    synchronized Ring ringAt(long now) {
        return nextRing(now);
    }

    /* One that should have rung and has not is lost, and another is set in its place. */
    private @Nullable Ring nextRing(long now) {
        Waiter first = deadlines.earliest();
        if (first == null && !asksAgain) {
            return null;
        }
        long at = first == null ? askAt : first.since + first.patience;
        if (asksAgain && askAt - at < 0) {
            at = askAt;
        }
        Ring pending = ring;
        if (pending != null && pending.at - at <= 0 && now - pending.at <= LATE) {
            return null;
        }
        long wait = Math.max(1, at - now);
        ring = new Ring(now + wait, wait, pending);
        return ring;
    }

    /** This alarm rang, or could not be set. */
    synchronized void rang(Ring one) {
        if (ring == one) {
            ring = null;
        }
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

    /** All of them, in order of arrival. */
    synchronized List<Waiter> waiting() {
        List<Waiter> waiting = new ArrayList<>(arrivals.size());
        for (Waiter waiter = arrivals.first(); waiter != null; waiter = waiter.arrival.next()) {
            waiting.add(waiter);
        }
        return waiting;
    }

    /** Nobody enters any more; those who wait are refused and added to {@code ended}. The alarm that is to be cancelled. */
    @Nullable
    synchronized Ring close(List<Waiter> ended) {
        closed = true;
        waiting().forEach(waiter -> shed(waiter, Reason.CANCELLED, ended));
        return ring;
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
                refusals[Reason.RATE.ordinal()] + refusals[Reason.CONCURRENCY.ordinal()],
                refusals[Reason.TIMED_OUT.ordinal()],
                refusals[Reason.SHED.ordinal()],
                refusals[Reason.QUEUE_FULL.ordinal()],
                refusals[Reason.CANCELLED.ordinal()],
                refusals[Reason.NEVER.ordinal()],
                failures);
    }
}
