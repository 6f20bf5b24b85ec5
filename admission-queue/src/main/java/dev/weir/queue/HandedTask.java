package dev.weir.queue;

import java.lang.ref.Cleaner;

/**
 * What a delegate is handed for a task, where it may capture a context, or drop tasks and say nothing. Nothing else refers
 * to it: once the delegate does not either, the task was dropped, and is refused.
 */
final class HandedTask implements Runnable {
    private static final Cleaner DROPPED = Cleaner.create();

    private final Unless begun;
    private final Cleaner.Cleanable whenDropped;

    HandedTask(Dispatch dispatch, Task<?> task) {
        begun = new Unless(dispatch, task);
        whenDropped = DROPPED.register(this, begun);
    }

    /** The delegate has not taken it. */
    void forget() {
        boolean unused = begun.now();
        whenDropped.clean();
    }

    /** Refuses the task. */
    void dropped() {
        whenDropped.clean();
    }

    @Override
    public void run() {
        if (begun.now()) {
            whenDropped.clean();
            begun.dispatch.begin(begun.task);
        }
    }

    /** Refuses the task unless it has begun. */
    private static final class Unless implements Runnable {
        private final Dispatch dispatch;
        private final Task<?> task;
        private volatile boolean begun;

        Unless(Dispatch dispatch, Task<?> task) {
            this.dispatch = dispatch;
            this.task = task;
        }

        boolean now() {
            boolean first = !begun;
            begun = true;
            return first;
        }

        @Override
        public void run() {
            if (!begun) {
                dispatch.dropped(task);
            }
        }
    }
}
