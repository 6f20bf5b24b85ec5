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

/** The end of waits: their completion, and the notification of the observers and the gate, holding no lock. */
final class Completions {
    private final List<QueueObserver> observers = new CopyOnWriteArrayList<>();
    private final Trampoline trampoline = new Trampoline();
    private final Executor executor;
    private final Ticker ticker;
    private final Gate gate;
    private final WaitList waitList;

    Completions(Executor executor, Ticker ticker, Gate gate, WaitList waitList) {
        this.executor = executor;
        this.ticker = ticker;
        this.gate = gate;
        this.waitList = waitList;
    }

    Registration observe(QueueObserver observer) {
        observers.add(Objects.requireNonNull(observer, "observer"));
        return () -> observers.remove(observer);
    }

    /** Whether a waiter that has ended, and whose thread was woken, still has to be completed. */
    boolean isNeeded(QueuedRequest waiter) {
        return waiter.completion != null || !observers.isEmpty() || waiter.decision() instanceof Rejection;
    }

    /** Completes waits that another thread ended; blocked threads that were granted have been woken before. */
    void complete(EndedWaits ended) {
        if (ended.size() > 0) {
            trampoline.run(ended, this::complete);
        }
    }

    private void complete(QueuedRequest waiter) {
        if (waiter.completion != null) {
            deliver(waiter.completion, Objects.requireNonNull(waiter.decision()));
        } else if (waiter.decision() instanceof Rejection) {
            LockSupport.unpark(waiter.thread);
        }
        notifyEnd(waiter);
    }

    private void deliver(Completion completion, Decision decision) {
        try {
            if (decision instanceof Permit && completion.isCountedByReceiver()) {
                completion.deliver(decision);
            } else {
                executor.execute(completion);
            }
        } catch (Throwable t) {
            waitList.countFailure();
            completion.deliver(decision);
        }
    }

    /** Notifies of the end of a wait, unless it is a rejection that what receives it counts. */
    void notifyEnd(QueuedRequest waiter) {
        if (!waiter.isCountedByReceiver() || waiter.decision() instanceof Permit) {
            notifyFinalEnd(waiter);
        }
    }

    void notifyReconfigured() {
        for (QueueObserver observer : observers) {
            try {
                observer.onReconfigured();
            } catch (Throwable t) {
                waitList.countFailure();
            }
        }
    }

    void notifyFinalEnd(QueuedRequest waiter) {
        Decision decision = waiter.decision();
        if (decision instanceof Rejection rejection) {
            notifyRefused(waiter.request, rejection);
        }
        if (observers.isEmpty() || decision == null) {
            return;
        }
        for (QueueObserver observer : observers) {
            try {
                observer.onWaited(waiter.request, decision, Math.max(0, ticker.read() - waiter.since));
            } catch (Throwable t) {
                waitList.countFailure();
            }
        }
    }

    /** Notifies the gate of a rejection that is final, once for each request. */
    void notifyRefused(Request request, Rejection rejection) {
        try {
            gate.refused(request, rejection);
        } catch (Throwable t) {
            waitList.countFailure();
        }
    }
}
