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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

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

    /**
     * A trampoline, which completes waits one after the other on each thread. A completion may release its permit on the same thread,
     * which grants the next wait: that one is completed after the first has returned, not from within it, so that a long queue does
     * not overflow the stack. Thread-safe.
     */
    private static final class Trampoline {
        /* One thread at a time is kept in a field; the others, where several complete at once, in a map. */
        private record Batch(Thread thread, EndedWaits pending) {}

        /* Each entry is of one thread, and only that thread removes it. */
        private final AtomicReference<@Nullable Batch> one = new AtomicReference<>();
        private final ConcurrentHashMap<Thread, EndedWaits> others = new ConcurrentHashMap<>();

        /** Completes these waits, after those that this thread is completing now. */
        void run(EndedWaits ended, Consumer<QueuedRequest> completion) {
            Thread current = Thread.currentThread();
            Batch batch = one.get();
            if (batch != null && batch.thread == current) {
                batch.pending.addAll(ended);
                return;
            }
            if (batch == null && one.compareAndSet(null, new Batch(current, ended))) {
                try {
                    complete(ended, completion);
                } finally {
                    one.set(null);
                }
            } else {
                runAmongOthers(current, ended, completion);
            }
        }

        private void runAmongOthers(Thread current, EndedWaits pending, Consumer<QueuedRequest> completion) {
            EndedWaits before = others.putIfAbsent(current, pending);
            if (before != null) {
                before.addAll(pending);
                return;
            }
            try {
                complete(pending, completion);
            } finally {
                others.remove(current);
            }
        }

        private static void complete(EndedWaits pending, Consumer<QueuedRequest> completion) {
            for (QueuedRequest waiter = pending.poll(); waiter != null; waiter = pending.poll()) {
                completion.accept(waiter);
            }
        }
    }
}
