package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Ticker;
import dev.weir.spi.Registration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;

/** Tells those who have ended, and the observers, holding no lock. */
final class Answers {
    private final List<QueueObserver> observers = new CopyOnWriteArrayList<>();
    private final Turns turns = new Turns();
    private final Executor executor;
    private final Ticker ticker;
    private final Line line;

    Answers(Executor executor, Ticker ticker, Line line) {
        this.executor = executor;
        this.ticker = ticker;
        this.line = line;
    }

    Registration observe(QueueObserver observer) {
        observers.add(Objects.requireNonNull(observer, "observer"));
        return () -> observers.remove(observer);
    }

    /** Whether anything is left to do for a waiter that was granted and woken. */
    boolean concern(Waiter waiter) {
        return waiter.answer != null || !observers.isEmpty();
    }
    /** Tells those who were ended by somebody else; threads that were granted have been woken before. */
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

    /** Tells the observers alone. */
    void tell(Waiter waiter) {
        Decision ending = waiter.ending();
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
}
