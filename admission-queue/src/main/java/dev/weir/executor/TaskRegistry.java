package dev.weir.executor;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** The tasks that have not ended, how the others ended, and whether more may be submitted. */
final class TaskRegistry {
    /*
     * It is terminated once it is shut and as many tasks have left as have entered.
     *
     *     thread that enters                thread that shuts, or leaves last
     *     entered + 1                       shut := true, left + 1
     *     reads shut: true: is refused      reads left, then entered: equal: terminated
     *
     * Counters only grow, and those who left are read first: if the numbers are equal, all that had entered by then had left, and a task
     * that enters later finds it shut.
     */
    private final TaskSet tasks = new TaskSet();
    private final TaskCounts counts = new TaskCounts();
    /* Of other executors, too. */
    private final @Nullable TaskCounts together;
    private final CountDownLatch terminated = new CountDownLatch(1);
    private final Runnable onTermination;
    /* A task enters before it reads this. */
    private volatile boolean shut;
    private volatile boolean stopped;

    /** The action is called once or more often. */
    TaskRegistry(Runnable onTermination, @Nullable TaskCounts together) {
        this.together = together;
        this.onTermination = onTermination;
    }

    /** Each task enters once and leaves once. False if it is shut; the task has to leave all the same. */
    boolean enter(Task<?> task) {
        tasks.add(task);
        counts.enter();
        if (together != null) {
            together.enter();
        }
        return !shut;
    }

    void leave(Task<?> task, TaskCounts.End end) {
        task.leave();
        counts.leave(end);
        if (together != null) {
            together.leave(end);
        }
        terminateIfDone();
    }

    private void terminateIfDone() {
        if (shut && counts.areAllLeft()) {
            onTermination.run();
            terminated.countDown();
        }
    }

    void countFailure() {
        counts.fail();
        if (together != null) {
            together.fail();
        }
    }

    void shut() {
        shut = true;
        terminateIfDone();
    }

    /** As {@link #shut}, and no task begins any more. */
    void stop() {
        stopped = true;
        shut();
    }

    boolean isStopped() {
        return stopped;
    }

    boolean isShut() {
        return shut;
    }

    boolean isTerminated() {
        return terminated.getCount() == 0;
    }

    /** Waits for termination and then, in the rest of the time, for that of the other. */
    boolean awaitTermination(long timeout, TimeUnit unit, @Nullable ExecutorService other) throws InterruptedException {
        WaitTime time = WaitTime.of(unit.toNanos(timeout));
        return terminated.await(timeout, unit)
                && (other == null || other.awaitTermination(time.left(), TimeUnit.NANOSECONDS));
    }

    /** The tasks that have not left; those that entered before it was shut are among them. */
    List<Task<?>> tasks() {
        return tasks.all();
    }

    ExecutorLedger ledger() {
        return counts.ledger();
    }

    /** A set of tasks that costs a compare-and-set to enter and a write to leave. Keeps the memory of its largest size. */
    private static final class TaskSet {
        private static final int TRIES = 8;
        private static final int FIRST = 128;
        private static final int LARGEST = 1 << 20;

        /** Slots, and the next segment for tasks that found these taken. */
        private static final class Segment extends AtomicReferenceArray<@Nullable Task<?>> {
            private static final long serialVersionUID = 1L;

            private transient volatile @Nullable Segment next;

            Segment(int size) {
                super(size);
            }

            boolean take(Task<?> task) {
                int start = ThreadLocalRandom.current().nextInt();
                for (int i = 0; i < TRIES; i++) {
                    int slot = (start + i) & (length() - 1);
                    if (get(slot) == null) {
                        task.entersAt(this, slot);
                        if (compareAndSet(slot, null, task)) {
                            return true;
                        }
                    }
                }
                return false;
            }

            synchronized Segment next() {
                Segment present = next;
                if (present == null) {
                    present = new Segment(Math.min(2 * length(), LARGEST));
                    next = present;
                }
                return present;
            }
        }

        private final Segment first = new Segment(FIRST);

        void add(Task<?> task) {
            Segment segment = first;
            while (!segment.take(task)) {
                Segment more = segment.next;
                segment = more == null ? segment.next() : more;
            }
        }

        List<Task<?>> all() {
            List<Task<?>> all = new ArrayList<>();
            for (Segment segment = first; segment != null; segment = segment.next) {
                for (int i = 0; i < segment.length(); i++) {
                    Task<?> task = segment.get(i);
                    if (task != null) {
                        all.add(task);
                    }
                }
            }
            return all;
        }
    }
}
