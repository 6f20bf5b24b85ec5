package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** How tasks come from their submitters to the queue, and to the delegate. */
final class Dispatch {
    /*
     * A delegate that captures nothing is handed a task when that has its permit, by whoever granted it. Any other one is
     * handed it by its submitter, whose context it captures then, and its worker waits for the permit: see Pairing.
     */
    private final Delegate delegate;
    private final @Nullable Pairing pairing;
    private final AdmissionQueue queue;
    private final Request request;
    private final Duration maxWait;
    private final long patience;
    private final RejectionPolicy policy;
    private final Roll roll;

    Dispatch(LimitedExecutor.Builder asked, Roll roll) {
        delegate = Delegate.of(asked.delegate, asked.capturesNothing);
        queue = asked.queue;
        pairing = delegate.capturesNothing() ? null : queue.pairing;
        request = asked.request;
        maxWait = asked.maxWait;
        patience = AdmissionQueue.patience(request, maxWait);
        policy = asked.policy;
        this.roll = roll;
        if (pairing == null) {
            queue.postponed.on(this);
        }
    }

    boolean handsTo(Executor other) {
        return delegate.executor() == other;
    }

    /** Whether a worker of the delegate runs a task. */
    boolean isBusy() {
        return roll.members().stream().anyMatch(Task::isOnWorker);
    }

    Roll roll() {
        return roll;
    }

    /** Sees the task to its end; may throw what the policy throws. */
    void submit(Task<?> task) {
        if (!roll.enter(task)) {
            refused(task, refusal(Reason.CANCELLED), null, false);
            return;
        }
        Rejection refused = admit(task);
        if (refused != null) {
            rejected(task, refused, null, false).byQueue(null).decide(policy);
        }
    }

    private Rejection refusal(Reason reason) {
        return new Rejection(queue.name(), reason, 0, 0);
    }

    /** Null if the task is in the queue, or with the delegate, or has been refused by that; a refusal is not counted yet. */
    @Nullable
    Rejection admit(Task<?> task) {
        Claim claim = new Claim(this, task);
        Rejection refused;
        if (pairing != null && leavesNoRoom(pairing.withoutPlace())) {
            return refusal(Reason.QUEUE_FULL);
        }
        try {
            Object kept = queue.arrival();
            Decision decision = queue.atTheDoor(request, patience, kept);
            if (decision instanceof Permit permit) {
                task.claim(claim);
                granted(claim, permit, false);
                refused = null;
            } else {
                refused = decision == null ? enter(task, claim, kept) : (Rejection) decision;
            }
        } catch (RuntimeException | Error e) {
            lose(task, e);
            throw e;
        }
        if (refused == null && pairing != null) {
            handOver(task, false);
        }
        return refused;
    }

    private boolean leavesNoRoom(int others) {
        return others > 0 && others + queue.snapshot().length() >= queue.spec().capacity();
    }

    private @Nullable Rejection enter(Task<?> task, Claim claim, @Nullable Object kept) {
        claim.place = new Answer(queue, claim);
        task.claim(claim);
        if (!task.move(Task.OUTSIDE, Task.WAITING)) {
            return null;
        }
        Rejection refused = stands(claim, longest(task), kept);
        if (refused != null) {
            task.move(Task.WAITING, Task.OUTSIDE);
        }
        return refused;
    }

    private long longest(Task<?> task) {
        return timesOut(task) ? patience : Long.MAX_VALUE;
    }

    /* To abort a task after its submitter has gone on takes a future that says so. */
    private boolean timesOut(Task<?> task) {
        return task.hasFuture() || !(policy == RejectedTask.ABORT || policy == RejectedTask.RUN_HERE);
    }

    private void lose(Task<?> task, Throwable why) {
        if (task.takeBack()) {
            task.refuse(why);
            roll.leave(task, Roll.Ending.REJECTED);
        }
    }

    void granted(Claim claim, Permit permit, boolean late) {
        int from = late ? Task.WAITING : Task.OUTSIDE;
        Task<?> task = claim.task;
        boolean held = pairing == null ? task.hold(claim, permit, from) : pairing.hold(claim, permit, from);
        if (!held) {
            permit.release(Outcome.CANCELLED);
        } else if (pairing == null) {
            handOver(task, late);
        }
    }

    private void handOver(Task<?> task, boolean late) {
        HandedTask handed = delegate.reports() ? null : new HandedTask(this, task);
        try {
            delegate.executor().execute(handed == null ? task : handed);
        } catch (RuntimeException | Error e) {
            if (handed != null) {
                handed.forget();
            }
            if (pairing != null) {
                pairing.retract(task);
            }
            if (late && e instanceof RejectedExecutionException && isPostponed(task)) {
                return;
            }
            if (task.is(Task.GRANTED) || task.is(Task.OUTSIDE)) {
                refused(task, refusal(delegate.isShut() ? Reason.CANCELLED : Reason.QUEUE_FULL), e, late);
            } else if (task.hasBegun() && late) {
                report(e);
            } else if (task.hasBegun()) {
                throw e;
            }
        }
    }

    private boolean isPostponed(Task<?> task) {
        return pairing == null
                && !delegate.isShut()
                && task.is(Task.GRANTED)
                && queue.postponed.keep(task, delegate.executor());
    }

    /** Called by a worker whose task is over: runs those the delegate had no other worker for. */
    void runPostponed() {
        Executor mine = delegate.executor();
        for (Task<?> next = queue.postponed.next(mine); next != null; next = queue.postponed.next(mine)) {
            next.runAfterAnother();
        }
    }

    /** As {@link #begin}, for one that a worker runs after another. */
    void beginPostponed(Task<?> task) {
        if (delegate.isShut()) {
            refused(task, refusal(Reason.CANCELLED), null, true);
            return;
        }
        boolean unused = Thread.interrupted();
        try {
            task.performIfGranted();
        } catch (Throwable t) {
            report(t);
        }
    }

    /** A worker has started it. */
    void begin(Task<?> task) {
        if (pairing == null || roll.isStopped()) {
            task.run();
        } else if (pairing.enters(task) && !entersLate(task, pairing) && pairing.givesUp(task)) {
            refused(task, refusal(Reason.CANCELLED), null, true);
        } else if (pairing.begin(task)) {
            task.perform();
        } else if (pairing.givesUp(task)) {
            refused(task, refusal(Reason.CANCELLED), null, true);
        } else {
            task.run();
        }
    }

    /* False if the worker was interrupted while the queue had no room. */
    private boolean entersLate(Task<?> task, Pairing its) {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                Claim claim = placed(task);
                if (!its.claims(task, claim)) {
                    return true;
                }
                Rejection refused = stands(claim, longest(task), queue.arrival());
                if (refused == null) {
                    return true;
                } else if (refused.reason() != Reason.QUEUE_FULL) {
                    refusedInQueue(claim, refused);
                    return true;
                }
                its.isWithout(task);
                LockSupport.parkNanos(this, Insistence.LOOK_AGAIN);
            }
            return false;
        } catch (RuntimeException | Error e) {
            lose(task, e);
            throw e;
        } finally {
            its.hasEntered();
        }
    }

    boolean takeBack(Task<?> task) {
        if (pairing != null) {
            return pairing.takeBack(task);
        }
        int from = task.end();
        queue.postponed.forget(task);
        task.giveBack(from);
        return from != Task.OVER;
    }

    /** The delegate has dropped it. */
    void dropped(Task<?> task) {
        if (pairing != null) {
            pairing.retract(task);
        }
        if (task.is(Task.GRANTED) || task.is(Task.OUTSIDE)) {
            Throwable cause = new RejectedExecutionException("dropped by " + delegate.executor());
            refused(task, refusal(delegate.isShut() ? Reason.CANCELLED : Reason.QUEUE_FULL), cause, true);
        }
    }

    void refusedInQueue(Claim claim, Rejection why) {
        Task<?> task = pairing == null ? claim.task : pairing.refused(claim);
        if (task == null) {
            isRefused(why, claim.place);
        } else if (pairing != null && why.reason() == Reason.TIMED_OUT && !timesOut(task)) {
            enterAgain(task, pairing);
        } else {
            rejected(task, why, null, true).byQueue(claim.place).decide(policy);
        }
    }

    /** Counts what the queue has refused, once it is final. */
    void isRefused(Rejection why, @Nullable Answer place) {
        queue.refused(request, why, place);
    }

    /* It had come by the place of a task that may wait for less long. */
    private void enterAgain(Task<?> task, Pairing its) {
        Claim claim = placed(task);
        if (its.renewed(task, claim)) {
            Rejection refused = stands(claim, Long.MAX_VALUE, queue.arrival());
            if (refused != null) {
                refusedInQueue(claim, refused);
            }
        }
    }

    private Claim placed(Task<?> task) {
        Claim claim = new Claim(this, task);
        claim.place = new Answer(queue, claim);
        return claim;
    }

    private @Nullable Rejection stands(Claim claim, long longest, @Nullable Object kept) {
        Rejection refused = queue.stand(request, longest, Objects.requireNonNull(claim.place), kept);
        if (refused == null && claim.task.is(Task.OVER)) {
            claim.withdraw();
        }
        return refused;
    }

    private void refused(Task<?> task, Rejection why, @Nullable Throwable cause, boolean late) {
        rejected(task, why, cause, late).decide(policy);
    }

    private RejectedTask rejected(Task<?> task, Rejection why, @Nullable Throwable cause, boolean late) {
        return new RejectedTask(this, task, why, cause, late);
    }

    /** For what has no future, and no caller to be thrown at. */
    void report(Throwable thrown) {
        Thread current = Thread.currentThread();
        try {
            current.getUncaughtExceptionHandler().uncaughtException(current, thrown);
        } catch (Throwable t) {
            roll.failed();
        }
    }

    /** To wait for a permit, also where the queue has no room for one more. */
    Insistence insistence() {
        return new Insistence(queue, request, maxWait);
    }

    /** For a task that is not in the queue: its submitter has acquired this. */
    void granted(Task<?> task, Permit permit) {
        Claim claim = new Claim(this, task);
        task.claim(claim);
        if (!task.hold(claim, permit, Task.OUTSIDE)) {
            permit.release(Outcome.CANCELLED);
        }
    }

    /** The one of ours that has waited longest. */
    @Nullable
    Task<?> oldest() {
        Waiter waiter = queue.oldest(one -> ours(one) != null);
        return waiter == null ? null : ours(waiter);
    }

    private @Nullable Task<?> ours(Waiter waiter) {
        Answer answer = waiter.answer;
        return answer != null && answer.receiver instanceof Claim claim && claim.dispatch == this ? claim.task : null;
    }
}
