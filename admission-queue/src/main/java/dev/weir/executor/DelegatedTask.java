package dev.weir.executor;

import java.lang.ref.Cleaner;

/**
 * A task as passed to a delegate that may capture a context, or discard tasks silently. Nothing else refers to it: once the
 * delegate does not either, the task was discarded, and is refused.
 */
final class DelegatedTask implements Runnable {
    private static final Cleaner DISCARDED = Cleaner.create();

    /* The cleaner reads it once the task is unreachable: then no worker can begin it any more. */
    private final UnlessBegun begun;
    private final Cleaner.Cleanable whenDiscarded;

    DelegatedTask(TaskHost host, Task<?> task) {
        begun = new UnlessBegun(host, task);
        whenDiscarded = DISCARDED.register(this, begun);
    }

    /** The delegate has not accepted it. */
    void disarm() {
        boolean unused = begun.mark();
        whenDiscarded.clean();
    }

    /** Refuses the task. */
    void discarded() {
        whenDiscarded.clean();
    }

    @Override
    public void run() {
        if (begun.mark()) {
            whenDiscarded.clean();
            begun.host.begin(begun.task);
        }
    }

    /** An action that refuses the task unless it has begun. */
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
                host.discarded(task);
            }
        }
    }
}
