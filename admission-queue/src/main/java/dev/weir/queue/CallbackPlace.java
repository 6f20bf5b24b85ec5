package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A place in a queue whose callback receives the decision. */
final class CallbackPlace implements CallbackQueue.Place, Completion {
    final Consumer<Decision> callback;
    private final Request request;
    private final Admission admission;
    private volatile @Nullable QueuedRequest waiter;

    CallbackPlace(Request request, Consumer<Decision> callback, Admission admission) {
        this.request = request;
        this.callback = callback;
        this.admission = admission;
    }

    /** Null before it has entered. */
    @Nullable
    QueuedRequest waiter() {
        return waiter;
    }

    @Override
    public @Nullable Rejection enter(long timeoutNanos, @Nullable Object requestData) {
        QueuedRequest entering = admission.waiter(request, timeoutNanos, null, this, requestData);
        waiter = entering;
        return admission.start(entering);
    }

    @Override
    public boolean withdraw(Reason reason) {
        QueuedRequest mine = waiter;
        return mine != null && admission.withdraw(mine, reason);
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
