package dev.weir.store.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.store.state.ValueRule.Result;
import dev.weir.store.state.ValueRule.Timed;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** The calls of one value that are decided together, and those that wait until these are. Thread-safe where nothing else is said. */
final class KeyChain<C, R> {
    /*
     * At most one command of a value is on its way: of two, one would be computed from what the other replaces. Each command that
     * ends sends the next one, or ends the chain:
     *
     *     call                             command
     *     finds the chain
     *                                      endIfIdle: nobody waits: ended
     *     add: ENDED, finds another one
     *
     * The fields without a lock belong to the command: what it sends, and what its answer makes of it.
     */
    /** The next step of a call that was added. */
    enum Entry {
        START,
        WAIT,
        ENDED
    }

    /** The most calls that one command decides, of those that go first and of the others each. */
    static final int TOGETHER = 256;

    /** So much later than its instant a grant was stored at most. */
    static final long MOST_LAG_MICROS = 2_000_000;

    private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * The terms on which calls compete with those of other instances.
     *
     * @param keepsQuiet whether they wait for the end of the quiet time of {@link Turns}
     * @param leastLosses a call fails after so many replacements that were not made, at the earliest
     * @param longestNanos for so long a call that loses is made again, unless its caller has a shorter time-out
     * @param mostOpen so many calls are not decided at a time, of those that go first and of the others each
     */
    record Terms(boolean keepsQuiet, int leastLosses, long longestNanos, int mostOpen) {}

    /** The rest of a value after its last call: what is known, and whose turn it is. */
    record Last(@Nullable Known known, Turns turns) {
        int size() {
            byte[] state = known == null ? null : known.stored().state();
            return state == null ? 0 : state.length;
        }
    }

    /**
     * The last answer of the store for a value.
     *
     * @param sent the reading of the ticker when it was asked for
     * @param received the reading when it came
     * @param isBehind whether the store's clock had not reached the instant of a replacement, and so does not run as the ticker does
     */
    record Known(Stored stored, long sent, long received, boolean isBehind) {
        /** True while it is recent enough to be built on. */
        boolean isRecent(long now) {
            return now - received < RECENT_NANOS;
        }

        /** The reading that the store's clock has reached for certain, if it runs as fast as the ticker or {@link #isBehind}. */
        long micros(long now) {
            return stored.atMicros() + passed(now);
        }

        private long passed(long now) {
            return isBehind ? 0 : TimeUnit.NANOSECONDS.toMicros(Math.max(0, now - received));
        }

        /*
         * The store has read its clock after the command was sent, and before its answer was received. So when a call is made,
         * the clock shows at most what it told and the time since the command was sent:
         *
         *     store       ......... told ..............................
         *     instance    sent ........... received ... call ... decide
         *                                  told ................ instant of the decision, at least reached
         *                 told ........................ call     reached at most
         *
         * Both the reading and the time are rounded down to microseconds.
         */
        long marginMicros(long called, long now) {
            long most = called - sent <= 0 ? 0 : TimeUnit.NANOSECONDS.toMicros(called - sent) + 2;
            return Math.max(0, most - passed(now));
        }
    }

    private record Replacing<R>(Result<R> result, long atMicros) {}

    private final String name;
    private final ValueRule<C, R> rule;
    private final Terms terms;
    private final Turns turns;
    /* 1 while its next command is being sent, 2 if that has ended meanwhile: then the sender sends the one after it. */
    private final AtomicInteger sending = new AtomicInteger();

    @GuardedBy("this")
    private final Deque<Ask<C, R>> first = new ArrayDeque<>();

    @GuardedBy("this")
    private final Deque<Ask<C, R>> others = new ArrayDeque<>();

    @GuardedBy("this")
    private boolean started;

    @GuardedBy("this")
    private boolean ended;

    /* Without those that go first, the first of them is the oldest, and has lost most often. */
    private final List<Ask<C, R>> asked = new ArrayList<>();
    private long sent;
    private @Nullable Known known;
    /* The replacement that is on its way; null = there is none. */
    private @Nullable Replacing<R> replacing;

    /** {@code last}: null = nothing is known of the value. */
    KeyChain(String name, ValueRule<C, R> rule, Terms terms, @Nullable Last last, LongUnaryOperator random) {
        this.name = name;
        this.rule = rule;
        this.terms = terms;
        this.known = last == null ? null : last.known;
        this.turns = last == null ? new Turns(random) : last.turns;
    }

    String name() {
        return name;
    }

    /** Nanoseconds until its next command may be sent; 0 = now. By its command only. */
    long rest(long now) {
        long rest = turns.rest(now);
        Known last = known;
        boolean isLate = !asked.isEmpty() && asked.get(0).isLate(now);
        return !terms.keepsQuiet() || last == null || isLate ? rest : rest + turns.quiet(now, last.micros(now + rest));
    }

    AtomicInteger sending() {
        return sending;
    }

    /** By its command only. */
    Last last() {
        return new Last(known != null && known.isBehind ? null : known, turns);
    }

    synchronized Entry add(Ask<C, R> ask, boolean goesFirst) {
        if (ended) {
            return Entry.ENDED;
        }
        (goesFirst ? first : others).add(ask);
        boolean starts = !started;
        started = true;
        return starts ? Entry.START : Entry.WAIT;
    }

    /** True if none is left of the calls that were asked. By its command only. */
    boolean isDecided() {
        return asked.isEmpty();
    }

    /** Ends it if there is nothing left to decide; true if it has ended. By its command only. */
    synchronized boolean endIfIdle() {
        ended = first.isEmpty() && others.isEmpty() && asked.isEmpty();
        return ended;
    }

    /** Takes the calls of the next command; false if none is left that was not cancelled. By its command only. */
    boolean begin() {
        asked.removeIf(ask -> !ask.begin());
        takeWaiting();
        return !asked.isEmpty();
    }

    /* Those that go first come in also if as many others as one command decides have lost, and wait for the next. */
    private synchronized void takeWaiting() {
        for (int place = 0; place < TOGETHER && !first.isEmpty(); ) {
            Ask<C, R> next = first.remove();
            if (next.begin()) {
                asked.add(place++, next);
            }
        }
        while (asked.size() < TOGETHER && !others.isEmpty()) {
            Ask<C, R> next = others.remove();
            if (next.begin()) {
                asked.add(next);
            }
        }
    }

    /** The next command, for the calls that were taken: a replacement, or null to read what is there. By its command only. */
    @Nullable
    Replacement next(long now) {
        turns.sent(now);
        sent = now;
        replacing = null;
        Replacement next = replacement(now);
        if (next == null) {
            asked.forEach(ask -> ask.stage.waitAgain());
        }
        return next;
    }

    /*
     * All absent values have the same version. A state outlives what it counts by as much as a replacement may be late:
     *
     *     late instance                     other instance
     *     finds none; sends its own,
     *     at this instant
     *                                       replaces, at a later instant
     *                                       what it counts ends, and it is removed
     *     its own arrives: there is none
     *
     * If the value is removed no sooner than this after what it counts has ended, that had ended at the instant of the late one too.
     */
    private @Nullable Replacement replacement(long now) {
        Known last = known;
        if (last == null || !last.isRecent(now)) {
            return null;
        }
        long at = last.micros(now);
        Result<R> result = decide(last, at, now);
        byte[] state = result.state();
        if (state == null) {
            return null;
        }
        replacing = new Replacing<>(result, at);
        long counts = Math.max(1, Math.min(result.ttlMicros(), Replacement.FOREVER - MOST_LAG_MICROS));
        return new Replacement(name, last.stored().version(), state, at, counts + MOST_LAG_MICROS);
    }

    private Result<R> decide(Known last, long at, long now) {
        List<Timed<C>> calls = new ArrayList<>(asked.size());
        for (Ask<C, R> ask : asked) {
            calls.add(new Timed<>(ask.call, last.marginMicros(ask.since, now)));
        }
        Result<R> result = rule.decide(last.stored().state(), calls, at);
        if (result.answers().size() != calls.size()) {
            throw new IllegalStateException(calls.size() + " calls were answered by " + result.answers());
        }
        return result;
    }

    /**
     * Decides the calls that were asked, if the answer of the store does. A rejection is decided by what was read after it was asked for.
     * By its command only.
     *
     * @return what decides them, to be called next; null = not yet
     */
    @Nullable
    Runnable answered(Stored stored, long now) {
        Replacing<R> made = replacing;
        boolean wasBehind = known != null && known.isBehind;
        Known last = new Known(stored, sent, now, made != null && stored.atMicros() < made.atMicros);
        known = last;
        if (stored.isReplaced() && made != null) {
            turns.won(losses(), now);
            long lag = stored.atMicros() - made.atMicros;
            // Late: as if it had been made long ago. The ticker stood still, or the store's clock has jumped ahead.
            return lag > MOST_LAG_MICROS
                    ? failed(new IllegalStateException("stored " + lag + " us after its instant"))
                    : decided(made.result);
        }
        Result<R> fresh = decide(last, stored.atMicros(), now);
        if (fresh.state() == null) {
            return decided(fresh);
        }
        // Not lost to another instance: it is made again, at the reading of the clock.
        return made == null ? null : lost(now, last.isBehind && !wasBehind ? ask -> ask.stage.waitAgain() : Ask::lose);
    }

    private int losses() {
        int most = 0;
        for (Ask<C, R> ask : asked) {
            most = Math.max(most, ask.losses());
        }
        return most;
    }

    private Runnable decided(Result<R> by) {
        List<Ask<C, R>> all = takeAsked();
        return () -> {
            for (int i = 0; i < all.size(); i++) {
                all.get(i).decide(by.answers().get(i));
            }
        };
    }

    private List<Ask<C, R>> takeAsked() {
        List<Ask<C, R>> all = List.copyOf(asked);
        asked.clear();
        return all;
    }

    /** Those of the calls that have no time for another replacement; null = all have. */
    private @Nullable Runnable lost(long now, Consumer<Ask<C, R>> loss) {
        asked.forEach(loss);
        long next = turns.longest(now);
        List<Ask<C, R>> over = new ArrayList<>();
        asked.removeIf(ask -> ask.losses() >= terms.leastLosses() && ask.isOver(now, next) && over.add(ask));
        return over.isEmpty() ? null : () -> over.forEach(ask -> ask.fail(new ContentionException(ask.losses())));
    }

    /** It is not known what the store has done. By its command only. */
    Runnable failed(Throwable why) {
        known = null;
        List<Ask<C, R>> all = takeAsked();
        return () -> all.forEach(ask -> ask.fail(why));
    }
}
