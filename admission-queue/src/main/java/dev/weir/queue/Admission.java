package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.internal.Undoable;
import dev.weir.spi.Gate;
import dev.weir.spi.Registration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The entry to a queue: a request is granted or refused at once, or becomes a waiter. */
final class Admission implements CallbackQueue {
    private final String name;
    private final Gate gate;
    private final Ticker ticker;
    private final Dispatcher dispatcher;
    private final WaitList waitList;
    private final Predicate<QueuedRequest> withdrawal;
    private final Map<Class<?>, Object> shared = new ConcurrentHashMap<>();

    Admission(String name, Gate gate, Ticker ticker, Dispatcher dispatcher) {
        this.name = name;
        this.gate = gate;
        this.ticker = ticker;
        this.dispatcher = dispatcher;
        this.waitList = dispatcher.waitList;
        this.withdrawal = waiter -> dispatcher.cancel(waiter, Reason.CANCELLED);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public @Nullable Object requestData() {
        return gate.requestData();
    }

    @Override
    public @Nullable Decision tryAcquire(Request request, long timeoutNanos, @Nullable Object requestData) {
        Decision tried = tryNew(request, requestData);
        return tried instanceof Permit ? tried : rejectionOf((Rejection) tried, timeoutNanos);
    }

    /** Null if the queue is closed, or if waiting requests go first and the limit is enforced for this one. */
    @Nullable
    Decision tryNew(Request request, @Nullable Object requestData) {
        if (waitList.isClosed()) {
            return null;
        }
        boolean waits = waitList.spec().isFair() ? waitList.eligible() > 0 : dispatcher.unfair.handsOff();
        return waits ? gate.letThrough(request, requestData) : gate.attempt(request, requestData);
    }

    /** The rejection, not counted yet, of a request that does not wait; null if it waits. */
    @Nullable
    Rejection rejectionOf(@Nullable Rejection refused, long timeoutNanos) {
        Rejections rejections = dispatcher.rejections;
        if (timeoutNanos <= 0 && waitList.isClosed()) {
            return rejections.of(Reason.CANCELLED);
        }
        if (refused == null) {
            return timeoutNanos > 0 ? null : rejections.last();
        }
        Reason reason = refused.reason();
        if (reason == Reason.NEVER || reason == Reason.KEY_MISSING || reason == Reason.CANCELLED) {
            return refused;
        }
        rejections.last(refused);
        if (timeoutNanos <= 0) {
            return refused;
        }
        return refused.retryAfterNanos() > timeoutNanos ? rejections.of(Reason.TIMED_OUT) : null;
    }

    /** The same decision; a rejection is counted. */
    @Nullable
    Decision counted(Request request, @Nullable Decision decision) {
        if (decision instanceof Rejection rejection) {
            countRejection(request, rejection, null);
        }
        return decision;
    }

    /** The future of a request that waits, or was refused when it entered. */
    CompletableFuture<Decision> future(Request request, long timeoutNanos, @Nullable Object requestData) {
        DecisionFuture future = new DecisionFuture(withdrawal);
        QueuedRequest waiter = waiter(request, timeoutNanos, null, future, requestData);
        future.waiter(waiter);
        Rejection refused = start(waiter);
        return refused == null ? future : CompletableFuture.completedFuture(refused);
    }

    QueuedRequest waiter(
            Request request,
            long timeoutNanos,
            @Nullable Thread thread,
            @Nullable Completion completion,
            @Nullable Object requestData) {
        return new QueuedRequest(
                request, ticker.read(), timeoutNanos, thread, completion, requestData, gate.grantable());
    }

    private @Nullable Rejection start(QueuedRequest waiter) {
        Rejection refused = enter(waiter);
        if (refused != null) {
            return refused;
        }
        try {
            dispatcher.entered(waiter);
        } catch (RuntimeException | Error e) {
            abandon(waiter);
            throw e;
        }
        return null;
    }

    /** Null once the waiter is in the list, else why not. */
    @Nullable
    Rejection enter(QueuedRequest waiter) {
        Reason refused = waitList.enter(waiter);
        QueuedRequest shed = waiter.shedForIt;
        if (shed != null) {
            waiter.shedForIt = null;
            if (refused != null) {
                dispatcher.dispatch();
            }
            EndedWaits ended = new EndedWaits();
            ended.add(shed);
            dispatcher.completions.complete(ended);
        }
        if (refused == null) {
            return null;
        }
        Rejection rejection = dispatcher.rejections.of(refused);
        if (!waiter.isCountedByReceiver()) {
            dispatcher.completions.notifyRefused(waiter.request, rejection);
        }
        return rejection;
    }

    /** Ends a waiter whose caller gets an error instead of the decision. */
    void abandon(QueuedRequest waiter) {
        if (withdrawal.test(waiter)) {
            if (waiter.isCountedByReceiver()) {
                countRejection(waiter, (Rejection) Objects.requireNonNull(waiter.decision()));
            }
        } else if ((waiter.completion == null || !waiter.completion.abandon())
                && waiter.decision() instanceof Permit permit) {
            Undoable.undo(permit);
        }
    }

    @Override
    public void countRejection(Request request, Rejection rejection, @Nullable Place place) {
        QueuedRequest waiter = place instanceof CallbackPlace own ? own.waiter : null;
        if (waiter != null && waiter.decision() instanceof Rejection) {
            countRejection(waiter, rejection);
        } else {
            waitList.countRejection(rejection.reason());
            dispatcher.completions.notifyRefused(request, rejection);
        }
    }

    private void countRejection(QueuedRequest waiter, Rejection rejection) {
        waitList.countRejection(rejection.reason());
        dispatcher.completions.notifyFinalEnd(waiter);
    }

    @Override
    public Place place(Request request, Consumer<Decision> callback) {
        return new CallbackPlace(request, callback);
    }

    @Override
    public @Nullable Consumer<Decision> oldest(Predicate<Consumer<Decision>> test) {
        QueuedRequest oldest = waitList.oldest(
                waiter -> waiter.completion instanceof CallbackPlace place && test.test(place.callback));
        return oldest != null && oldest.completion instanceof CallbackPlace place ? place.callback : null;
    }

    @Override
    public boolean isFullWith(int more) {
        return more + waitList.length() >= waitList.spec().capacity();
    }

    @Override
    public Registration whenCapacity(Runnable listener) {
        return gate.whenCapacity(listener);
    }

    @Override
    public <T> T shared(Class<T> type, Supplier<T> creation) {
        return type.cast(shared.computeIfAbsent(type, first -> creation.get()));
    }

    /** A place in a queue whose callback receives the decision. */
    private final class CallbackPlace implements CallbackQueue.Place, Completion {
        final Consumer<Decision> callback;
        private final Request request;
        /** Null before it has entered. */
        volatile @Nullable QueuedRequest waiter;

        CallbackPlace(Request request, Consumer<Decision> callback) {
            this.request = request;
            this.callback = callback;
        }

        @Override
        public @Nullable Rejection enter(long timeoutNanos, @Nullable Object requestData) {
            QueuedRequest entering = waiter(request, timeoutNanos, null, this, requestData);
            waiter = entering;
            return start(entering);
        }

        @Override
        public boolean withdraw(Reason reason) {
            QueuedRequest mine = waiter;
            return mine != null && dispatcher.cancel(mine, reason);
        }

        @Override
        public @Nullable Decision decision() {
            QueuedRequest mine = waiter;
            return mine == null ? null : mine.decision();
        }

        @Override
        public void run() {
            deliver(Objects.requireNonNull(decision()));
        }

        @Override
        public void deliver(Decision decided) {
            callback.accept(decided);
        }

        @Override
        public boolean abandon() {
            return true;
        }

        @Override
        public boolean isCountedByReceiver() {
            return true;
        }
    }
}
