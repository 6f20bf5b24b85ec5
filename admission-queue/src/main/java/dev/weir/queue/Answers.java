package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Gate;
import dev.weir.spi.Registration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;

/** Completes the waits that have ended, and tells the observers and the gate, holding no lock. */
final class Answers {
    private final List<QueueObserver> observers = new CopyOnWriteArrayList<>();
    private final Turns turns = new Turns();
    private final Executor executor;
    private final Ticker ticker;
    private final Gate gate;
    private final Line line;

    Answers(Executor executor, Ticker ticker, Gate gate, Line line) {
        this.executor = executor;
        this.ticker = ticker;
        this.gate = gate;
        this.line = line;
    }

    Registration observe(QueueObserver observer) {
        observers.add(Objects.requireNonNull(observer, "observer"));
        return () -> observers.remove(observer);
    }

    /** Whether anything is left to do for a waiter that has ended and whose thread was woken. */
    boolean concern(Waiter waiter) {
        return waiter.answer != null || !observers.isEmpty() || waiter.ending() instanceof Rejection;
    }

    /** Completes waits that somebody else ended; threads that were granted have been woken before. */
    void give(List<Waiter> ended) {
        if (!ended.isEmpty()) {
            turns.take(ended, this::give);
        }
    }

    private void give(Waiter waiter) {
        if (waiter.answer != null) {
            complete(waiter.answer, Objects.requireNonNull(waiter.ending()));
        } else if (waiter.ending() instanceof Rejection) {
            LockSupport.unpark(waiter.thread);
        }
        tell(waiter);
    }

    private void complete(Answer answer, Decision decision) {
        try {
            if (decision instanceof Permit && answer.receiver != null) {
                answer.give(decision);
            } else {
                executor.execute(answer);
            }
        } catch (Throwable t) {
            line.failed();
            answer.give(decision);
        }
    }

    /** Tells how a wait ended, and completes nothing; for one that is counted later only if it was granted. */
    void tell(Waiter waiter) {
        if (!waiter.isCountedLater() || waiter.ending() instanceof Permit) {
            told(waiter);
        }
    }

    void told(Waiter waiter) {
        Decision ending = waiter.ending();
        if (ending instanceof Rejection rejection) {
            refused(waiter.request, rejection);
        }
        if (observers.isEmpty() || ending == null) {
            return;
        }
        for (QueueObserver observer : observers) {
            try {
                observer.onWaited(waiter.request, ending, Math.max(0, ticker.read() - waiter.since));
            } catch (Throwable t) {
                line.failed();
            }
        }
    }

    /** Tells the gate of a refusal that is final; it is told once a request. */
    void refused(Request request, Rejection rejection) {
        try {
            gate.refused(request, rejection);
        } catch (Throwable t) {
            line.failed();
        }
    }
}
