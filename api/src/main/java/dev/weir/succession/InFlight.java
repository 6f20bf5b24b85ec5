package dev.weir.succession;

import dev.weir.Outcome;
import dev.weir.Permit.Quota;
import dev.weir.Request;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The permits in flight and their limit: a counting semaphore. When one concurrency limit replaces another, the counter of the
 * old one hands its count over to its successors, the counters of the new limits, so that the bound holds across the swap.
 * Thread-safe and lock-free.
 */
public final class InFlight implements HandsOver {
    /*
     * One word, limit:32 | inFlight:32, so that an admission is decided and counted against the limit of the same
     * instant: with two fields, a thread could read limit 2, pause while others lower it to 1, release and acquire, and
     * then add a second permit. Nothing is added speculatively, so nothing has to be undone. After the limit was lowered
     * inFlight may exceed it; then it only falls until it is below.
     *
     * A counter that is replaced adds its count to its successors, and is then sealed: the sign bit of its word is set. A
     * permit that is released after that is released from the successors as well. The successors are not in force yet. So
     * no request sees a count that was added too early and is then corrected:
     *
     *     changer                              releaser
     *     successors += count of w
     *                                          word -= permits: not sealed yet
     *     CAS w -> sealed w: fails
     *     successors -= count of w, and once more
     *                                          word -= permits: sealed; successors -= permits
     *
     * A sealed limit is negative, so nothing is granted.
     */

    /** The largest limit. */
    public static final long MAX = Integer.MAX_VALUE;

    private static final long COUNT = 0xFFFF_FFFFL;
    private static final long SEALED = Long.MIN_VALUE;
    private static final VarHandle WORD;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(InFlight.class, "word", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile long word;
    /* Written once, before the word is sealed, and read after it was found sealed. */
    private volatile List<InFlight> successors = List.of();

    /**
     * A counter with nothing in flight.
     *
     * @throws IllegalArgumentException if {@code limit} is not within 1 and {@link #MAX}
     */
    public InFlight(long limit) {
        word = checked(limit) << 32;
    }

    private static long checked(long limit) {
        if (limit < 1 || limit > MAX) {
            throw new IllegalArgumentException("limit must be >= 1 and <= " + MAX + ", was " + limit);
        }
        return limit;
    }

    @Override
    public long acquire(Request request) {
        return acquire(request.permits(), 0);
    }

    /** Acquires this many permits if {@code reserve} permits stay free. */
    public long acquire(long permits, long reserve) {
        for (; ; ) {
            long w = word;
            long room = (w >> 32) - reserve;
            if (permits > room - (w & COUNT)) {
                return permits > room ? NEVER : UNTIL_RELEASE;
            }
            if (WORD.compareAndSet(this, w, w + permits)) {
                return GRANTED;
            }
            Thread.onSpinWait();
        }
    }

    /** Acquires this many permits if this many per cent of the limit, rounded down, stay free. */
    public long acquireLeaving(long percent, long permits) {
        for (; ; ) {
            long w = word;
            long limit = w >> 32;
            long room = limit - limit * percent / 100;
            if (permits > room - (w & COUNT)) {
                return permits > room ? NEVER : UNTIL_RELEASE;
            }
            if (WORD.compareAndSet(this, w, w + permits)) {
                return GRANTED;
            }
            Thread.onSpinWait();
        }
    }

    @Override
    public void release(Request request, Outcome outcome) {
        release(request.permits());
    }

    /** Releases this many acquired permits, also from the successors if this counter was replaced. */
    public void release(long permits) {
        long before = (long) WORD.getAndAdd(this, -permits);
        if (before < 0) {
            releaseFromSuccessors(before, permits);
        }
    }

    /*
     * A loop, because a permit that is held through thousands of changes has a chain of as many successors. In the order of a
     * recursion, because a counter may be reached on two ways, once for each sign, and must not fall below 0 in between.
     */
    private void releaseFromSuccessors(long before, long permits) {
        Deque<Due> due = new ArrayDeque<>();
        pushSuccessors(due, before, permits);
        while (!due.isEmpty()) {
            Due next = due.pop();
            long seen = (long) WORD.getAndAdd(next.counter, -next.permits);
            if (seen < 0) {
                next.counter.pushSuccessors(due, seen, next.permits);
            }
        }
    }

    private void pushSuccessors(Deque<Due> due, long before, long permits) {
        long each = (before & ~SEALED) >>> 32 == 0 ? -permits : permits;
        for (int i = successors.size() - 1; i >= 0; i--) {
            due.push(new Due(successors.get(i), each));
        }
    }

    /** Permits that are to be released from this counter. */
    private record Due(InFlight counter, long permits) {}

    /**
     * Ends this counter: from now on it grants nothing, and what is in flight counts in each of these until it is
     * released. Call this once, before any of them is in force.
     */
    public void handOver(List<InFlight> to) {
        handOver(to, false);
    }

    /** Ends this counter of permits that count twice in each of these: they count once less until they are released. */
    void correct(List<InFlight> to) {
        handOver(to, true);
    }

    /* A correction has no limit in its word. */
    private void handOver(List<InFlight> to, boolean corrects) {
        successors = to;
        for (; ; ) {
            long w = word;
            long count = corrects ? -(w & COUNT) : w & COUNT;
            to.forEach(successor -> WORD.getAndAdd(successor, count));
            if (WORD.compareAndSet(this, w, SEALED | (corrects ? w & COUNT : w))) {
                return;
            }
            to.forEach(successor -> WORD.getAndAdd(successor, -count));
        }
    }

    @Override
    public InFlight counter() {
        return this;
    }

    @Override
    public long limit() {
        return (word & ~SEALED) >>> 32;
    }

    @Override
    public void setLimit(long limit) {
        long high = checked(limit) << 32;
        long w = word;
        while (!WORD.compareAndSet(this, w, high | (w & (COUNT | SEALED)))) {
            w = word;
        }
    }

    @Override
    public long inFlight() {
        return word & COUNT;
    }

    /** What several counters together have in flight. */
    public static long sum(List<InFlight> counters) {
        long sum = 0;
        for (int i = 0; i < counters.size(); i++) {
            sum += counters.get(i).inFlight();
        }
        return sum;
    }

    @Override
    public long remaining() {
        return remaining(word, 0);
    }

    private static long remaining(long w, long reserve) {
        return Math.max(0, (w >> 32) - reserve - (w & COUNT));
    }

    @Override
    public Quota quota(Request request) {
        return quota(0);
    }

    /** The figures if this many permits, at least 0, stay free. */
    public Quota quota(long reserve) {
        long w = word;
        return new Quota((w & ~SEALED) >>> 32, remaining(w, reserve), 0, 0);
    }
}
