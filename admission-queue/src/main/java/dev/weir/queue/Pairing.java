package dev.weir.queue;

import dev.weir.Permit;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Brings permits together with tasks that a delegate has started: each was handed to it by its submitter, before it had a
 * permit, and its worker waits here until there is one.
 */
final class Pairing {
    /*
     * All tasks of an executor ask for the same, so a permit is not bound to the task whose place in the queue brought it.
     * Were it, a delegate with few workers could start tasks without permits, and none of those that have one:
     *
     *     the only worker: waits with task 1     the delegate's queue: task 2, granted
     *
     * So the two exchange their claims: task 1 runs with the permit, task 2 waits with the place of task 1. A permit goes
     * to its own task if a worker waits with that one, else to the task with which a worker has waited longest, else it
     * stays with its own task until a worker starts any.
     *
     * Tasks move, and claims are exchanged, under the lock; foreign code is called without it.
     */
    private final ReentrantLock lock = new ReentrantLock();
    /** WAITING, with a worker. */
    private final Set<Task<?>> started = new LinkedHashSet<>();
    /** GRANTED, without a worker. */
    private final Set<Task<?>> granted = new LinkedHashSet<>();

    /** False if no task needs the permit: it is the caller's still. */
    boolean hold(Claim claim, Permit permit, int from) {
        Task<?> runs;
        lock.lock();
        try {
            Task<?> owner = claim.task;
            if (!owner.hold(claim, permit, from)) {
                return false;
            }
            runs = started.contains(owner) ? owner : first(started);
            if (runs == null || !(runs == owner || exchanged(owner, runs))) {
                granted.add(owner);
                return true;
            }
            started.remove(runs);
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(runs.worker());
        return true;
    }

    private static @Nullable Task<?> first(Set<Task<?>> tasks) {
        Iterator<Task<?>> all = tasks.iterator();
        return all.hasNext() ? all.next() : null;
    }

    private static boolean exchanged(Task<?> has, Task<?> needs) {
        if (!has.move(Task.GRANTED, Task.WAITING)) {
            return false;
        }
        Claim permit = Objects.requireNonNull(has.claim());
        Claim place = Objects.requireNonNull(needs.claim());
        has.claim(place);
        place.task = has;
        needs.claim(permit);
        permit.task = needs;
        return needs.move(Task.WAITING, Task.GRANTED);
    }

    /** Called by a worker: waits until the task has a permit. False if it is not to run, or the worker was interrupted. */
    boolean begin(Task<?> task) {
        if (mustWait(task)) {
            await(task);
        }
        return task.move(Task.GRANTED, Task.RUNNING);
    }

    private boolean mustWait(Task<?> task) {
        lock.lock();
        try {
            task.worker(Thread.currentThread());
            granted.remove(task);
            if (!task.is(Task.WAITING) || isRefused(task)) {
                return task.is(Task.WAITING);
            }
            return !takesOver(task) && started.add(task);
        } finally {
            lock.unlock();
        }
    }

    /** Whether it could exchange its place for a permit whose task has no worker. */
    private boolean takesOver(Task<?> task) {
        for (Task<?> other = first(granted); other != null; other = first(granted)) {
            granted.remove(other);
            if (exchanged(other, task)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isRefused(Task<?> task) {
        Claim claim = task.claim();
        return claim != null && claim.refused;
    }

    private static void await(Task<?> task) {
        Wait wait = new Wait(task);
        try {
            ForkJoinPool.managedBlock(wait);
        } catch (RejectedExecutionException | InterruptedException e) {
            wait.without();
        }
    }

    private record Wait(Task<?> task) implements ForkJoinPool.ManagedBlocker {
        @Override
        public boolean block() {
            LockSupport.park(task);
            return isReleasable();
        }

        @Override
        public boolean isReleasable() {
            return !task.is(Task.WAITING) || Thread.currentThread().isInterrupted();
        }

        /** Where the pool has no thread to run in the place of the one that waits. */
        void without() {
            boolean over = isReleasable();
            while (!over) {
                over = block();
            }
        }
    }

    /** Another claim for a task whose former one was refused; false if it is over. */
    boolean renewed(Task<?> task, Claim claim) {
        lock.lock();
        try {
            if (!task.is(Task.WAITING)) {
                return false;
            }
            task.claim(claim);
            if (task.worker() != null && !takesOver(task)) {
                started.add(task);
            }
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(task.worker());
        return true;
    }

    /** Whether a worker that was interrupted has to refuse its task: it waits still, and nobody else refuses it. */
    boolean givesUp(Task<?> task) {
        lock.lock();
        try {
            Claim claim = task.claim();
            if (claim == null || claim.refused || !task.is(Task.WAITING)) {
                return false;
            }
            claim.refused = true;
            return started.remove(task);
        } finally {
            lock.unlock();
        }
    }

    /** Whose claim was refused, for the caller to see to; null if it was before. */
    @Nullable
    Task<?> refused(Claim claim) {
        lock.lock();
        try {
            Task<?> owner = claim.task;
            boolean first = !claim.refused;
            claim.refused = true;
            started.remove(owner);
            return first ? owner : null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * For a task that the delegate does not run. Takes it out of the queue unless it has a permit by now, which it keeps then.
     */
    void retract(Task<?> task) {
        Claim claim = null;
        lock.lock();
        try {
            granted.remove(task);
            if (task.move(Task.WAITING, Task.OUTSIDE)) {
                started.remove(task);
                claim = task.claim();
            }
        } finally {
            lock.unlock();
        }
        if (claim != null) {
            LockSupport.unpark(task.worker());
            claim.withdraw();
        }
    }

    boolean takeBack(Task<?> task) {
        int from;
        lock.lock();
        try {
            from = task.end();
            started.remove(task);
            granted.remove(task);
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(task.worker());
        task.giveBack(from);
        return from != Task.OVER;
    }
}
