package dev.weir.queue;

import dev.weir.Outcome;
import dev.weir.Permit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Brings permits together with tasks that a delegate has started: each was handed to it by its submitter, before it had a
 * permit, and its worker waits here until there is one. One for all executors on a queue.
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
     * Tasks of two executors ask for different things, and exchange nothing. A permit then does not stay with a task
     * without a worker as long as any worker on this queue waits: for the two may be workers of one pool.
     *
     *     the only worker: waits with task 1 of A     the delegate's queue: task 2 of B, granted
     *     the permit of task 2 is given back, its place is gone; the queue grants the next one, at last task 1
     *     task 1 ends; the worker starts task 2, which takes another place, and waits for it as any other
     *
     * So an executor whose task is granted before one that a worker waits with may see it run after that one. A task
     * that gave its permit back is in no place meanwhile: it counts as one that waits where another comes.
     *
     * Tasks move, and claims are exchanged, under the lock; foreign code is called without it.
     */
    private final ReentrantLock lock = new ReentrantLock();
    /** WAITING, with a worker. */
    private final Set<Task<?>> started = new LinkedHashSet<>();
    /** GRANTED, without a worker. */
    private final Set<Task<?>> granted = new LinkedHashSet<>();
    /** WAITING, without a place in the queue: they gave their permits back. */
    private final Set<Task<?>> without = new LinkedHashSet<>();
    /** How many workers wait for a place in the queue. */
    private int entering;

    /** False if no task needs the permit: it is the caller's still. */
    boolean hold(Claim claim, Permit permit, int from) {
        Task<?> runs;
        lock.lock();
        try {
            Task<?> owner = claim.task;
            if (!owner.hold(claim, permit, from)) {
                return false;
            }
            runs = owner.worker() != null ? owner : first(started, owner);
            if (runs == null || !(runs == owner || exchanged(owner, runs))) {
                return keeps(owner);
            }
            started.remove(runs);
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(runs.worker());
        return true;
    }

    /* False if it has given its permit back, which is the caller's. */
    private boolean keeps(Task<?> owner) {
        if ((!started.isEmpty() || entering > 0) && owner.move(Task.GRANTED, Task.WAITING)) {
            losesItsPlace(owner);
            return false;
        }
        return granted.add(owner);
    }

    private void losesItsPlace(Task<?> task) {
        task.claim(Objects.requireNonNull(task.claim()).without());
        without.add(task);
    }

    private static @Nullable Task<?> first(Set<Task<?>> tasks, Task<?> like) {
        for (Task<?> task : tasks) {
            if (task.asksAs(like)) {
                return task;
            }
        }
        return null;
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
        List<Permit> back = new ArrayList<>(0);
        boolean waits = mustWait(task, back);
        release(back);
        if (waits) {
            await(task);
        }
        return task.move(Task.GRANTED, Task.RUNNING);
    }

    private static void release(List<Permit> back) {
        back.forEach(permit -> permit.release(Outcome.CANCELLED));
    }

    private boolean mustWait(Task<?> task, List<Permit> back) {
        lock.lock();
        try {
            if (!task.is(Task.WAITING) || isRefused(task)) {
                return task.is(Task.WAITING);
            }
            return !takesOver(task, back) && started.add(task);
        } finally {
            lock.unlock();
        }
    }

    /** Whether it could exchange its place for a permit whose task has no worker; else all such permits are given back. */
    private boolean takesOver(Task<?> task, List<Permit> back) {
        for (Task<?> other = first(granted, task); other != null; other = first(granted, task)) {
            granted.remove(other);
            if (exchanged(other, task)) {
                return true;
            }
        }
        for (Task<?> other : granted) {
            if (other.move(Task.GRANTED, Task.WAITING)) {
                back.add(Objects.requireNonNull(Objects.requireNonNull(other.claim()).permit));
                losesItsPlace(other);
            }
        }
        granted.clear();
        return false;
    }

    /** How many have given their permits back, and no worker has started them since. */
    int withoutPlace() {
        lock.lock();
        try {
            return without.size();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Called by a worker that has started this task, which keeps a permit it has from here on. Whether it has to have a place in
     * the queue first; {@link #hasEntered} is to follow then.
     */
    boolean enters(Task<?> task) {
        List<Permit> back = new ArrayList<>(0);
        lock.lock();
        try {
            task.worker(Thread.currentThread());
            granted.remove(task);
            if (!without.contains(task)) {
                return false;
            }
            Claim none = Objects.requireNonNull(task.claim());
            if (takesOver(task, back)) {
                without.remove(task);
                without.add(none.task);
                return false;
            }
            entering++;
        } finally {
            lock.unlock();
        }
        release(back);
        return true;
    }

    void hasEntered() {
        lock.lock();
        try {
            entering--;
        } finally {
            lock.unlock();
        }
    }

    /** A claim for a task without a place; false if it is over. */
    boolean claims(Task<?> task, Claim claim) {
        lock.lock();
        try {
            boolean waits = without.remove(task);
            if (waits) {
                task.claim(claim);
            }
            return waits;
        } finally {
            lock.unlock();
        }
    }

    /** The queue had no room for it. */
    void isWithout(Task<?> task) {
        lock.lock();
        try {
            if (task.is(Task.WAITING)) {
                without.add(task);
            }
        } finally {
            lock.unlock();
        }
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
        List<Permit> back = new ArrayList<>(0);
        lock.lock();
        try {
            if (!task.is(Task.WAITING)) {
                return false;
            }
            task.claim(claim);
            if (task.worker() != null && !takesOver(task, back)) {
                started.add(task);
            }
        } finally {
            lock.unlock();
        }
        release(back);
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
            started.remove(task);
            return true;
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
                without.remove(task);
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
            without.remove(task);
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(task.worker());
        task.giveBack(from);
        return from != Task.OVER;
    }
}
