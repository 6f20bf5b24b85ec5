package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Gate;
import dev.weir.spi.Registration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** The end of waits: their completion, and the notification of the observers and the gate, holding no lock. */
final class Completions {
    private final List<QueueObserver> observers = new CopyOnWriteArrayList<>();
    /*
     * The waits that each thread has yet to complete. A completion may release its permit on the same thread, which grants the next
     * wait: that one is completed after the first has returned, not from within it, so that a long queue does not overflow
     * the stack. Only the thread of an entry removes it.
     */
    private final Map<Thread, EndedWaits> pending = new ConcurrentHashMap<>();
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

    /** True if a waiter that has ended, and whose thread was woken, still has to be completed. */
    boolean isNeeded(QueuedRequest waiter) {
        return waiter.completion != null || !observers.isEmpty() || waiter.decision() instanceof Rejection;
    }

    /** Completes waits that another thread ended; blocked threads that were granted have been woken before. */
    void complete(EndedWaits ended) {
        if (ended.size() == 0) {
            return;
        }
        EndedWaits before = pending.putIfAbsent(Thread.currentThread(), ended);
        if (before != null) {
            before.addAll(ended);
            return;
        }
        try {
            for (QueuedRequest waiter = ended.poll(); waiter != null; waiter = ended.poll()) {
                complete(waiter);
            }
        } finally {
            pending.remove(Thread.currentThread());
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

    void notifyObservers(Consumer<QueueObserver> notification) {
        for (QueueObserver observer : observers) {
            try {
                notification.accept(observer);
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
        if (!observers.isEmpty() && decision != null) {
            notifyObservers(
                    observer -> observer.onWaited(waiter.request, decision, Math.max(0, ticker.read() - waiter.since)));
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
