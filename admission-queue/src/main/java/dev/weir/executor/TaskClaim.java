package dev.weir.executor;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.queue.CallbackQueue;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The claim of a task on the queue: a place, then a permit. Two tasks of one executor may exchange theirs. */
final class TaskClaim implements Consumer<Decision> {
    final TaskHost host;
    volatile Task<?> task;
    /** Null for a task that was granted without waiting. Written before the task is in the queue. */
    CallbackQueue.@Nullable Place place;
    /** Written before the task is granted. */
    @Nullable
    Permit permit;
    /** True once the queue has refused it; its task does not change any more. */
    volatile boolean refused;

    TaskClaim(TaskHost host, Task<?> task) {
        this.host = host;
        this.task = task;
    }

    @Override
    public void accept(Decision decision) {
        if (decision instanceof Permit granted) {
            host.granted(this, granted);
        } else {
            host.refused(this, (Rejection) decision);
        }
    }

    void withdraw() {
        CallbackQueue.Place left = place;
        if (left != null && left.withdraw()) {
            host.countRejection((Rejection) Objects.requireNonNull(left.decision()), left);
        }
    }
}
