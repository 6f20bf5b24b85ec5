package dev.weir.executor;

import java.lang.ref.Cleaner;

/**
 * A task as passed to a delegate that may capture a context, or drop tasks silently. Nothing else refers to it: once the
 * delegate does not either, the task was dropped, and is refused.
 */
final class DelegatedTask implements Runnable {
    private static final Cleaner DROPPED = Cleaner.create();

    private final UnlessBegun begun;
    private final Cleaner.Cleanable whenDropped;

    DelegatedTask(TaskHost host, Task<?> task) {
        begun = new UnlessBegun(host, task);
        whenDropped = DROPPED.register(this, begun);
    }

    /** The delegate has not accepted it. */
    void disarm() {
        boolean unused = begun.mark();
        whenDropped.clean();
    }

    /** Refuses the task. */
    void dropped() {
        whenDropped.clean();
    }

    @Override
    public void run() {
        if (begun.mark()) {
            whenDropped.clean();
            begun.host.begin(begun.task);
        }
    }

    /** Refuses the task unless it has begun. */
    private static final class UnlessBegun implements Runnable {
        private final TaskHost host;
        private final Task<?> task;
        private volatile boolean begun;

        UnlessBegun(TaskHost host, Task<?> task) {
            this.host = host;
            this.task = task;
        }

        boolean mark() {
            boolean first = !begun;
            begun = true;
            return first;
        }

        @Override
        public void run() {
            if (!begun) {
                host.dropped(task);
            }
        }
    }
}
