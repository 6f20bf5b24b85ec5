package dev.weir.succession;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Outcome;
import dev.weir.Permit.Quota;
import dev.weir.Request;
import dev.weir.internal.Require;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The permits in flight and their limit: a counting semaphore. When one concurrency limit replaces another, the counter of the
 * old one hands its count over to its successors, the counters of the new limits, so that the bound holds across the swap.
 * Thread-safe. Lock-free, but for the release of a permit of a counter that was replaced.
 */
public final class InFlight implements PartStrategy {
    /*
     * One word, limit:32 | inFlight:32, so that an admission is decided and counted against the limit of the same
     * instant: with two fields, a thread could read limit 2, pause while others lower it to 1, release and acquire, and
     * then add a second permit. Nothing is added speculatively, so nothing has to be undone. After the limit was lowered
     * inFlight may exceed it; then it only falls until it is below.
     *
     * A counter that is replaced is sealed: the sign bit of its word is set. A sealed limit is negative, so nothing is
     * granted. What it holds then is added to its successors, which are not in force yet. A permit that is released after that is
     * released from them as well, as many times as they have it on different ways. All of this is guarded by the
     * monitor of the sealed counter, so a release waits until the successors have the count:
     *
     *     changer                                   releaser
     *     locks
     *     held := count of w
     *                                               word -= permits: not sealed yet
     *     CAS w -> sealed w: fails; once more
     *                                               word -= permits: sealed; waits
     *     successors += factor * held; unlocks
     *                                               locks; held -= permits; successors -= factor * permits
     *
     * So while no monitor is held, what a counter has taken over is the sum of factor * held of its predecessors, in whatever
     * order they are changed. For a time this may be negative, or exceed 32 bits. The word has as much of it as there is
     * room for, at least 0; the remainder is in `rest`. While the remainder is positive, the word exceeds every limit, because
     * what was granted here does not exceed 2^31-1: nothing is granted. While it is negative, the word has too much.
     *
     * A sealed counter passes on what its own predecessors release. That chain would grow with each change for as long as a
     * permit is held, so a change shortens it. Let P be succeeded by X, and X by this counter. When this one is replaced too,
     * the successors of X become those of P, and X no longer holds what P holds. This runs under the monitors of both, so
     * all sums stay, whether a release comes before
     *
     *     changer                                   releaser of one permit of P
     *                                               word of P -= 1: sealed
     *                                               locks P; P.held -= 1; X.held -= 1; this -= 1
     *     locks P, X; X.held -= P.held; P -> this
     *
     * or after, while P still holds the permit, and X does not:
     *
     *                                               word of P -= 1: sealed; waits
     *     locks P, X; X.held -= P.held; P -> this
     *                                               locks P; P.held -= 1; this -= 1
     *
     * Factors of the same successor are added, and one of 0 is dropped. A sealed counter without predecessors that holds
     * nothing is dropped by its successors and drops them. X is left out one change late: until this one is over, the
     * figures of the limit before are read from X.
     *
     * X may have a predecessor for each key. It is left out if it has few, or at most twice as many as this counter, which
     * got them one by one in the change before. So a change costs no more than the one before, or a constant; and of the
     * counters that stay between one that holds permits and those in force, each has less than half of the predecessors
     * of the one before it: two steps without keys, and at most log2 of their number more, however many changes there were.
     *
     * Of two counters the one that is sealed first is locked first. Its successors were not sealed then, so they come later.
     */

    /** The largest limit. */
    public static final long MAX = Integer.MAX_VALUE;

    private static final long COUNT = 0xFFFF_FFFFL;
    private static final long SEALED = Long.MIN_VALUE;
    private static final int FEW = 8;
    private static final VarHandle WORD;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(InFlight.class, "word", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile long word;

    /* Written under the monitor of this counter. Null while it has neither successors nor predecessors. */
    private volatile @Nullable Links links;

    /** The counters that a counter succeeds and that succeed it. Guarded by the counter, but for reads of volatile fields. */
    private static final class Links {
        /** The permits that are taken over and are in the word. */
        long taken;

        /** The permits that are taken over and are not in the word. */
        volatile long rest;

        /** The permits in flight of a sealed counter. */
        volatile long held;

        /** The counters that count what is held, each times a factor, at least 1. */
        final Map<InFlight, Long> successors = new HashMap<>(2);

        /** The sealed counters that this one succeeds. */
        final Set<InFlight> predecessors = new HashSet<>(2);
    }

    /** A counter with nothing in flight. Throws an {@code IllegalArgumentException} if the limit is not 1 to {@link #MAX}. */
    public InFlight(long limit) {
        word = checked(limit) << 32;
    }

    private static long checked(long limit) {
        Require.that(limit >= 1 && limit <= MAX, "limit must be >= 1 and <= " + MAX, limit);
        return limit;
    }

    @Override
    public long acquire(Request request) {
        return acquire(request.permits(), 0);
    }

    /** Acquires this many permits if {@code reserve} permits stay free. */
    public long acquire(long permits, long reserve) {
        int pauses = SpinPause.FIRST;
        for (; ; ) {
            long w = word;
            long room = (w >> 32) - reserve;
            if (permits > room - (w & COUNT)) {
                return permits > room ? NEVER : UNTIL_RELEASE;
            }
            if (WORD.compareAndSet(this, w, w + permits)) {
                return GRANTED;
            }
            pauses = SpinPause.pause(pauses);
        }
    }

    /** Acquires this many permits if this many per cent of the limit, rounded down, stay free. */
    public long acquireLeaving(long percent, long permits) {
        int pauses = SpinPause.FIRST;
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
            pauses = SpinPause.pause(pauses);
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
            releaseSealed(permits);
        }
    }

    private synchronized void releaseSealed(long permits) {
        addHeld(-permits);
        tidy();
    }

    /**
     * Ends this counter: from now on it grants nothing, and what is in flight counts in each of these until it is
     * released. Call this before any of them is in force; a second call does nothing, nor does one with itself.
     */
    public void handOver(List<InFlight> to) {
        if (word < 0 || to.contains(this)) {
            return;
        }
        List<InFlight> before = predecessors(Integer.MAX_VALUE);
        before.forEach(predecessor -> predecessor.leaveOut(Math.max(FEW, 2 * before.size())));
        seal(to);
        if (to.isEmpty()) {
            leaveOut(Integer.MAX_VALUE);
        }
    }

    /* None if there are more. */
    private synchronized List<InFlight> predecessors(int atMost) {
        Links mine = links;
        return mine == null || mine.predecessors.size() > atMost ? List.of() : List.copyOf(mine.predecessors);
    }

    private synchronized void seal(List<InFlight> to) {
        Links mine = links();
        long w;
        do {
            w = word;
            mine.held = (w & COUNT) + mine.rest;
        } while (!WORD.compareAndSet(this, w, w | SEALED));
        to.forEach(successor -> addSuccessor(successor, 1));
        mine.successors.forEach((successor, times) -> successor.add(times * mine.held));
        tidy();
    }

    /* The successors of this sealed counter become those of its predecessors, unless these are more. */
    private void leaveOut(int atMost) {
        predecessors(atMost).forEach(predecessor -> predecessor.skip(this));
    }

    private synchronized void skip(InFlight sealed) {
        Links mine = links();
        synchronized (sealed) {
            Long times = mine.successors.get(sealed);
            if (times != null) {
                Links its = sealed.links();
                its.held -= times * mine.held;
                its.successors.forEach((successor, factor) -> addSuccessor(successor, times * factor));
                addSuccessor(sealed, -times);
            }
        }
    }

    @GuardedBy("this")
    private void addSuccessor(InFlight successor, long factor) {
        Map<InFlight, Long> successors = links().successors;
        long sum = successors.getOrDefault(successor, 0L) + factor;
        if (sum == 0) {
            successors.remove(successor);
            successor.forget(this);
        } else {
            successors.put(successor, sum);
            successor.follow(this);
        }
    }

    private synchronized void follow(InFlight predecessor) {
        links().predecessors.add(predecessor);
    }

    private synchronized void forget(InFlight predecessor) {
        links().predecessors.remove(predecessor);
        tidy();
    }

    /* Adds to what was taken over from the predecessors. */
    private synchronized void add(long permits) {
        if (word < 0) {
            addHeld(permits);
            return;
        }
        Links mine = links();
        long sum = mine.taken + mine.rest + permits;
        long w;
        long fits;
        do {
            w = word;
            fits = Math.max(0, Math.min(sum, mine.taken + COUNT - (w & COUNT)));
        } while (!WORD.compareAndSet(this, w, w + fits - mine.taken));
        mine.taken = fits;
        mine.rest = sum - fits;
    }

    @GuardedBy("this")
    private void addHeld(long permits) {
        Links mine = links();
        long held = mine.held + permits;
        mine.held = held;
        mine.successors.forEach((successor, factor) -> successor.add(factor * permits));
    }

    /* Drops what no other counter depends on any more. */
    @GuardedBy("this")
    private void tidy() {
        Links mine = links();
        if (!mine.predecessors.isEmpty()) {
            return;
        }
        if (word >= 0) {
            links = mine.taken == 0 && mine.rest == 0 ? null : mine;
        } else if (mine.held == 0) {
            mine.successors.keySet().forEach(successor -> successor.forget(this));
            mine.successors.clear();
        }
    }

    @GuardedBy("this")
    private Links links() {
        Links mine = links;
        if (mine == null) {
            mine = new Links();
            links = mine;
        }
        return mine;
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

    /** The permits in flight. Of a counter that was replaced, at least those that it granted, until the next change more. */
    @Override
    public long inFlight() {
        long w = word;
        Links read = links; // after the word: if that is sealed, these are there
        if (read == null) {
            return w & COUNT;
        }
        return w < 0 ? read.held : Math.max(0, (w & COUNT) + read.rest);
    }

    /** True while it counts permits of predecessors, and once it was replaced itself. */
    boolean hasTakenOver() {
        return links != null;
    }

    /** The permits that several counters together have in flight. */
    public static long sum(List<InFlight> counters) {
        return counters.stream().mapToLong(InFlight::inFlight).sum();
    }

    @Override
    public Quota quota(Request request) {
        return quota(0);
    }

    /** The figures if this many permits, at least 0, stay free. */
    public Quota quota(long reserve) {
        long w = word;
        return new Quota((w & ~SEALED) >>> 32, Math.max(0, (w >> 32) - reserve - (w & COUNT)), 0, 0);
    }
}
