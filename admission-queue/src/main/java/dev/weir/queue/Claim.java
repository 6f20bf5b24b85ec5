package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What a task has in the queue: a place, then a permit. Two tasks of an executor may exchange theirs. */
final class Claim implements Consumer<Decision> {
    final Dispatch dispatch;
    volatile Task<?> task;
    /** Null for one that was granted without waiting. Written before the task is in the queue. */
    @Nullable
    Answer place;
    /** Written before the task is granted. */
    @Nullable
    Permit permit;
    /** Whether the queue has refused it; its task does not change any more. */
    volatile boolean refused;

    Claim(Dispatch dispatch, Task<?> task) {
        this.dispatch = dispatch;
        this.task = task;
    }

    /** What the queue has decided. */
    @Override
    public void accept(Decision decision) {
        if (decision instanceof Permit granted) {
            dispatch.granted(this, granted, true);
        } else {
            dispatch.refusedInQueue(this, (Rejection) decision);
        }
    }

    /** Another one for its task, without a place and without a permit. */
    Claim without() {
        return new Claim(dispatch, task);
    }

    void withdraw() {
        Answer left = place;
        if (left != null && left.withdraw()) {
            dispatch.isRefused(
                    (Rejection) Objects.requireNonNull(
                            Objects.requireNonNull(left.waiter()).ending()),
                    left);
        }
    }
}
