package dev.weir.store.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** The calls of one key that are decided together, and those that wait until these are. Thread-safe where nothing else is said. */
final class KeyChain {
    /*
     * At most one command of a key is on its way: of two, one would be computed from what the other replaces. Each command that
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

    /** The most calls that one command decides. */
    static final int TOGETHER = 256;

    private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The rest of a key after its last call: what is known, and whose turn it is. */
    record Last(@Nullable Known known, Turns turns) {
        /** So many bytes are kept. */
        int size() {
            byte[] state = known == null ? null : known.stored().state();
            return state == null ? 0 : state.length;
        }
    }

    /**
     * The last answer of the store for a key.
     *
     * @param received the reading of the ticker when it came
     */
    record Known(Stored stored, long received) {
        /** Whether it is recent enough to be built on. */
        boolean isRecent(long now) {
            return now - received < RECENT_NANOS;
        }

        /** What the store's clock has reached for certain, if it runs as fast as the ticker: it has read this before the answer came. */
        long micros(long now) {
            return stored.atMicros() + TimeUnit.NANOSECONDS.toMicros(Math.max(0, now - received));
        }
    }

    private final String name;
    private final Turns turns;
    /* 1 while its next command is being sent, 2 if that has ended meanwhile: then the sender sends the one after it. */
    private final AtomicInteger sending = new AtomicInteger();

    @GuardedBy("this")
    private final Deque<Ask> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private boolean started;

    @GuardedBy("this")
    private boolean ended;

    /* The first of them is the oldest, and has lost most often. */
    private final List<Ask> asked = new ArrayList<>();
    private @Nullable Known known;
    /* Of the replacement that is on its way; null = there is none. */
    private @Nullable ChainResult outcome;

    /** {@code last}: null = nothing is known of the key. */
    KeyChain(String name, @Nullable Last last, LongUnaryOperator random) {
        this.name = name;
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
        return last == null || isLate ? rest : rest + turns.quiet(now, last.micros(now + rest));
    }

    AtomicInteger sending() {
        return sending;
    }

    /** By its command only. */
    Last last() {
        return new Last(known, turns);
    }

    synchronized Entry add(Ask ask) {
        if (ended) {
            return Entry.ENDED;
        }
        waiting.add(ask);
        if (started) {
            return Entry.WAIT;
        }
        started = true;
        return Entry.START;
    }

    /** Whether it has ended, because there is nothing left to decide. By its command only. */
    synchronized boolean endIfIdle() {
        ended = waiting.isEmpty() && asked.isEmpty();
        return ended;
    }

    /** Takes the calls of the next command; false if none is left that was not cancelled. By its command only. */
    boolean begin() {
        asked.removeIf(ask -> !begins(ask));
        takeWaiting();
        return !asked.isEmpty();
    }

    private synchronized void takeWaiting() {
        while (asked.size() < TOGETHER && !waiting.isEmpty()) {
            Ask next = waiting.remove();
            if (begins(next)) {
                asked.add(next);
            }
        }
    }

    private static boolean begins(Ask ask) {
        boolean begins = ask.stage().begin();
        if (!begins) {
            ask.drop();
        }
        return begins;
    }

    /** The next command, for the calls that were taken: a replacement, or null to read what is there. By its command only. */
    @Nullable
    Replacement next(ChainResult.Steps steps, long now) {
        turns.sent(now);
        Replacement next = computed(steps, now);
        if (next == null) {
            asked.forEach(ask -> ask.stage().waitAgain());
        }
        return next;
    }

    private @Nullable Replacement computed(ChainResult.Steps steps, long now) {
        outcome = null;
        Known last = known;
        if (last == null || !last.isRecent(now)) {
            return null;
        }
        ChainResult computed = ChainResult.of(steps, last.stored().state(), asked, last.micros(now));
        Replacement next = computed.replacement(name, last.stored().version());
        outcome = next == null ? null : computed;
        return next;
    }

    /**
     * Decides the calls that were asked, if the answer of the store does. A rejection is decided by what was read after it was asked for.
     * By its command only.
     *
     * @return what decides them, to be called next; null = not yet
     */
    @Nullable
    Runnable answered(ChainResult.Steps steps, Stored stored, long now) {
        known = new Known(stored, now);
        ChainResult replaced = outcome;
        if (stored.isReplaced() && replaced != null) {
            turns.won(losses(), now);
            return isTooLate(stored, replaced)
                    ? failed(new IllegalStateException(
                            "stored " + (stored.atMicros() - replaced.atMicros()) + " us after its instant"))
                    : decided(replaced);
        }
        ChainResult fresh = ChainResult.of(steps, stored.state(), asked, stored.atMicros());
        return fresh.changesNothing() ? decided(fresh) : replaced == null ? null : lost(now);
    }

    /* As if the grants had been made long ago: the ticker stood still, or the store's clock has jumped ahead. */
    private static boolean isTooLate(Stored stored, ChainResult replaced) {
        return stored.atMicros() - replaced.atMicros() > ChainResult.MOST_LAG_MICROS;
    }

    private int losses() {
        return asked.isEmpty() ? 0 : asked.get(0).losses();
    }

    private Runnable decided(ChainResult by) {
        List<Ask> all = List.copyOf(asked);
        asked.clear();
        return () -> {
            for (int i = 0; i < all.size(); i++) {
                all.get(i).decide(by.replies().get(i));
            }
        };
    }

    /** Those of the calls that have no time for another replacement; null = all have. */
    private @Nullable Runnable lost(long now) {
        asked.forEach(Ask::lose);
        long next = turns.longest(now);
        List<Ask> over = new ArrayList<>();
        asked.removeIf(ask -> ask.isOver(now, next) && over.add(ask));
        return over.isEmpty() ? null : () -> over.forEach(ask -> ask.fail(new ContentionException(ask.losses())));
    }

    /** It is not known what the store has done. By its command only. */
    Runnable failed(Throwable why) {
        known = null;
        outcome = null;
        List<Ask> all = List.copyOf(asked);
        asked.clear();
        return () -> all.forEach(ask -> ask.fail(why));
    }
}
