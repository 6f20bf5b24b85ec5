package dev.weir.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Ticker;
import dev.weir.store.internal.Outgoing;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The commands of one key that are on their way, and the requests that wait for one of them to end. There is no timer. Thread-safe. */
final class JoinedRequests {
    /*
     * A request waits only while a command is on its way, and each command that ends takes those that wait if it may go, or ends
     * the entry of its key if it was the last:
     *
     *     request                        last command
     *     enter: WAIT
     *                                    next: nobody waits, no command is left: ended
     *     add: false, enters again
     */

    /** The next step of a request: it sends a command, waits for one, or finds the entry ended. */
    enum Entry {
        SEND,
        WAIT,
        ENDED
    }

    /** The most requests of one command. */
    static final int TOGETHER = 256;

    @GuardedBy("this")
    private final Deque<WaitingRequest> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private final Outgoing outgoing;

    @GuardedBy("this")
    private boolean ended;

    JoinedRequests(Ticker ticker) {
        outgoing = new Outgoing(ticker, TOGETHER);
    }

    synchronized Entry enter() {
        if (ended) {
            return Entry.ENDED;
        }
        return waiting.isEmpty() && outgoing.begin(1) ? Entry.SEND : Entry.WAIT;
    }

    /** False if no command is left that would take it. */
    synchronized boolean add(WaitingRequest request) {
        if (!ended && !outgoing.isIdle()) {
            waiting.add(request);
            return true;
        }
        return false;
    }

    /** After a command has ended. */
    synchronized void end() {
        outgoing.end();
    }

    /** The requests of the next command, if it may go; empty = none. */
    synchronized List<WaitingRequest> next() {
        if (waiting.isEmpty() || !outgoing.begin(waiting.size())) {
            return endIfIdle(List.of());
        }
        List<WaitingRequest> together = new ArrayList<>(Math.min(TOGETHER, waiting.size()));
        while (!waiting.isEmpty() && together.size() < TOGETHER) {
            WaitingRequest next = waiting.remove();
            if (!next.isDone()) {
                together.add(next);
            }
        }
        if (together.isEmpty()) {
            outgoing.end();
        }
        return endIfIdle(together);
    }

    @GuardedBy("this")
    private List<WaitingRequest> endIfIdle(List<WaitingRequest> together) {
        ended = ended || outgoing.isIdle();
        return together;
    }

    synchronized boolean isEnded() {
        return ended;
    }

    /** All that wait, which wait no longer. */
    synchronized List<WaitingRequest> takeAll() {
        List<WaitingRequest> all = new ArrayList<>(waiting);
        waiting.clear();
        return all;
    }
}
