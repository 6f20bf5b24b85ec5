package dev.weir.store.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The calls of one value that wait: those that go first, and the others. Thread-safe. */
final class ValueCalls<C, R> {
    @GuardedBy("this")
    private final Deque<Ask<C, R>> first = new ArrayDeque<>();

    @GuardedBy("this")
    private final Deque<Ask<C, R>> others = new ArrayDeque<>();

    /* Whether a command is on its way, or will be sent. */
    @GuardedBy("this")
    private boolean started;

    /** The next step of a call that was added. */
    enum Entry {
        START,
        WAIT,
        FULL
    }

    /** A call that waits for its answer. Its losses belong to the command that decides it. */
    static final class Ask<C, R> {
        final C call;
        final long since;
        final CompletableFuture<R> answer = new CompletableFuture<>();
        int losses;

        /** {@code since}: the reading of the ticker. */
        Ask(C call, long since) {
            this.call = call;
            this.since = since;
        }
    }

    synchronized Entry add(Ask<C, R> ask, boolean goesFirst) {
        Deque<Ask<C, R>> waiting = goesFirst ? first : others;
        if (waiting.size() >= StateValue.MOST_WAITING) {
            return Entry.FULL;
        }
        waiting.add(ask);
        boolean starts = !started;
        started = true;
        return starts ? Entry.START : Entry.WAIT;
    }

    /**
     * Adds those that wait to what one command decides. Those that go first come in also if as many others as one command decides have
     * lost, and wait for the next.
     */
    synchronized void takeInto(List<Ask<C, R>> asked) {
        for (int place = 0; place < KeyChain.TOGETHER && !first.isEmpty(); place++) {
            asked.add(place, first.remove());
        }
        while (asked.size() < KeyChain.TOGETHER && !others.isEmpty()) {
            asked.add(others.remove());
        }
    }

    /** Whether nothing is left to decide, so that the next call that is added starts. {@code asked}: what the last command left. */
    synchronized boolean endIfIdle(List<Ask<C, R>> asked) {
        started = !first.isEmpty() || !others.isEmpty() || !asked.isEmpty();
        return !started;
    }
}
