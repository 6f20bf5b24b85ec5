package dev.weir.executor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Permit;
import dev.weir.internal.Undoable;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A meeting point of permits and of tasks that a delegate has started: each task was passed to the delegate by its submitter,
 * before it had a permit, and its worker waits here until there is one. One for all executors on a queue.
 */
final class Pairing {
    /*
     * All tasks of an executor acquire the same request, so a permit is not bound to the task whose place was granted. If it
     * were, a delegate with few workers could start tasks without permits, and none of those that have one:
     *
     *     the only worker: waits with task 1     the delegate's queue: task 2, granted
     *
     * So the two exchange their claims: task 1 runs with the permit, task 2 waits with the place of task 1. A permit goes
     * to its own task if a worker waits with that one, else to the task with which a worker has waited longest, else it
     * stays with its own task until a worker starts any task.
     *
     * Tasks of two executors acquire different requests, and exchange nothing. A permit then does not stay with a task
     * without a worker as long as any worker on this queue waits: for the two may be workers of one pool.
     *
     *     the only worker: waits with task 1 of A     the delegate's queue: task 2 of B, granted
     *     the permit of task 2 is released, its place is gone; the queue grants the next one, at last task 1
     *     task 1 ends; the worker starts task 2, which takes another place, and waits for it as any other
     *
     * So a task that is granted before one that a worker waits with may run after that one. A task that released its
     * permit has no place meanwhile: it counts as a waiter when another task is submitted.
     *
     * Tasks move, and claims are exchanged, under the monitor; foreign code is called without it.
     */
    /** WAITING, with a worker. */
    @GuardedBy("this")
    private final Set<Task<?>> started = new LinkedHashSet<>();
    /** GRANTED, without a worker. */
    @GuardedBy("this")
    private final Set<Task<?>> granted = new LinkedHashSet<>();
    /** WAITING, without a place in the queue: they released their permits. */
    @GuardedBy("this")
    private final Set<Task<?>> without = new LinkedHashSet<>();
    /** The number of workers that wait for a place in the queue. */
    @GuardedBy("this")
    private int entering;

    /** False if no task needs the permit: the caller keeps it. */
    boolean hold(TaskClaim claim, Permit permit, int from) {
        Task<?> runs;
        synchronized (this) {
            Task<?> owner = claim.task;
            if (!owner.hold(claim, permit, from)) {
                return false;
            }
            runs = owner.worker != null ? owner : first(started, owner);
            if (runs == null || !(runs == owner || exchanged(owner, runs))) {
                return keeps(owner);
            }
            started.remove(runs);
        }
        LockSupport.unpark(runs.worker);
        return true;
    }

    /* False if it has no longer its permit, which the caller keeps. */
    @GuardedBy("this")
    private boolean keeps(Task<?> owner) {
        if ((!started.isEmpty() || entering > 0) && owner.move(Task.GRANTED, Task.WAITING)) {
            dropPlace(owner);
            return false;
        }
        return granted.add(owner);
    }

    @GuardedBy("this")
    private void dropPlace(Task<?> task) {
        task.claim = new TaskClaim(task.host, task);
        without.add(task);
    }

    private static @Nullable Task<?> first(Set<Task<?>> tasks, Task<?> like) {
        for (Task<?> task : tasks) {
            if (task.host == like.host) {
                return task;
            }
        }
        return null;
    }

    private static boolean exchanged(Task<?> has, Task<?> needs) {
        if (!has.move(Task.GRANTED, Task.WAITING)) {
            return false;
        }
        TaskClaim permit = Objects.requireNonNull(has.claim);
        TaskClaim place = Objects.requireNonNull(needs.claim);
        has.claim = place;
        place.task = has;
        needs.claim = permit;
        permit.task = needs;
        return needs.move(Task.WAITING, Task.GRANTED);
    }

    /**
     * Called by a worker: waits until the task has a permit. False if it is not to run, the worker was interrupted, or the time
     * is over.
     */
    boolean begin(Task<?> task, WaitTime time) {
        List<Permit> back = new ArrayList<>(0);
        boolean waits = mustWait(task, back);
        back.forEach(Undoable::undo);
        if (waits) {
            await(task, time);
        }
        return task.move(Task.GRANTED, Task.RUNNING);
    }

    private synchronized boolean mustWait(Task<?> task, List<Permit> back) {
        if (!task.is(Task.WAITING) || isRefused(task)) {
            return task.is(Task.WAITING);
        }
        return !takesOver(task, back) && started.add(task);
    }

    /** True if it got the permit of a task without a worker for its place; else all such permits are added to {@code back}. */
    @GuardedBy("this")
    private boolean takesOver(Task<?> task, List<Permit> back) {
        for (Task<?> other = first(granted, task); other != null; other = first(granted, task)) {
            granted.remove(other);
            if (exchanged(other, task)) {
                return true;
            }
        }
        for (Task<?> other : granted) {
            if (other.move(Task.GRANTED, Task.WAITING)) {
                back.add(Objects.requireNonNull(Objects.requireNonNull(other.claim).permit));
                dropPlace(other);
            }
        }
        granted.clear();
        return false;
    }

    /** The number of tasks that have released their permits, and that no worker has started since. */
    synchronized int withoutPlace() {
        return without.size();
    }

    /**
     * Called by a worker that has started this task; from here on the task keeps a permit that it has. True if it must enter
     * the queue first; the caller calls {@link #hasEntered} then.
     */
    boolean enters(Task<?> task) {
        List<Permit> back = new ArrayList<>(0);
        synchronized (this) {
            task.worker = Thread.currentThread();
            granted.remove(task);
            if (!without.contains(task)) {
                return false;
            }
            TaskClaim none = Objects.requireNonNull(task.claim);
            if (takesOver(task, back)) {
                without.remove(task);
                without.add(none.task);
                return false;
            }
            entering++;
        }
        back.forEach(Undoable::undo);
        return true;
    }

    synchronized void hasEntered() {
        entering--;
    }

    /** Sets a claim for a task without a place; false if it is over. */
    synchronized boolean claims(Task<?> task, TaskClaim claim) {
        boolean waits = without.remove(task);
        if (waits) {
            task.claim = claim;
        }
        return waits;
    }

    /** The queue had no room for it. */
    synchronized void isWithout(Task<?> task) {
        if (task.is(Task.WAITING)) {
            without.add(task);
        }
    }

    private static boolean isRefused(Task<?> task) {
        TaskClaim claim = task.claim;
        return claim != null && claim.refused;
    }

    private static void await(Task<?> task, WaitTime time) {
        Wait wait = new Wait(task, time);
        try {
            ForkJoinPool.managedBlock(wait);
        } catch (RejectedExecutionException | InterruptedException e) {
            wait.without();
        }
    }

    private record Wait(Task<?> task, WaitTime time) implements ForkJoinPool.ManagedBlocker {
        @Override
        public boolean block() {
            LockSupport.parkNanos(task, time.left());
            return isReleasable();
        }

        @Override
        public boolean isReleasable() {
            return !task.is(Task.WAITING) || Thread.currentThread().isInterrupted() || time.left() <= 0;
        }

        /** Blocks although the pool has no spare thread. */
        void without() {
            while (!isReleasable()) {
                LockSupport.parkNanos(task, time.left());
            }
        }
    }

    /** Sets another claim for a task whose former one was refused; false if it is over. */
    boolean renewed(Task<?> task, TaskClaim claim) {
        List<Permit> back = new ArrayList<>(0);
        synchronized (this) {
            if (!task.is(Task.WAITING)) {
                return false;
            }
            task.claim = claim;
            if (task.worker != null && !takesOver(task, back)) {
                started.add(task);
            }
        }
        back.forEach(Undoable::undo);
        LockSupport.unpark(task.worker);
        return true;
    }

    /**
     * True if a worker that was interrupted, or whose time is over, has to reject its task: it still waits, and no other thread
     * rejects it.
     */
    synchronized boolean givesUp(Task<?> task) {
        TaskClaim claim = task.claim;
        if (claim == null || claim.refused || !task.is(Task.WAITING)) {
            return false;
        }
        claim.refused = true;
        started.remove(task);
        return true;
    }

    /** The task whose claim was refused, for the caller to reject; null if it was refused before. */
    @Nullable
    synchronized Task<?> refused(TaskClaim claim) {
        Task<?> owner = claim.task;
        boolean first = !claim.refused;
        claim.refused = true;
        started.remove(owner);
        return first ? owner : null;
    }

    /**
     * For a task that the delegate does not run: leaves the queue, unless the task has a permit by now, which it keeps.
     */
    void retract(Task<?> task) {
        TaskClaim claim = null;
        synchronized (this) {
            granted.remove(task);
            if (task.move(Task.WAITING, Task.OUTSIDE)) {
                started.remove(task);
                without.remove(task);
                claim = task.claim;
            }
        }
        if (claim != null) {
            LockSupport.unpark(task.worker);
            claim.withdraw();
        }
    }

    boolean withdraw(Task<?> task) {
        int from;
        synchronized (this) {
            from = task.end();
            started.remove(task);
            granted.remove(task);
            without.remove(task);
        }
        LockSupport.unpark(task.worker);
        task.releaseFrom(from);
        return from != Task.OVER;
    }
}
