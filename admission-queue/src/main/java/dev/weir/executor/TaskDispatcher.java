package dev.weir.executor;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.internal.Undoable;
import dev.weir.queue.CallbackQueue;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The path of tasks from their submitters to the queue and to the delegate. */
final class TaskDispatcher implements TaskHost {
    /*
     * A delegate that captures nothing gets a task when that has its permit, from the thread that grants it. Any other
     * delegate gets it from its submitter, whose context it captures then, and its worker waits for the permit: see Pairing.
     */
    private final Delegate delegate;
    private final @Nullable Pairing pairing;
    private final CallbackQueue queue;
    private final PostponedTasks postponed;
    private final Request request;
    private final Supplier<Duration> maxWait;
    private final RejectionPolicy policy;
    final TaskRegistry registry;

    TaskDispatcher(
            Delegate delegate,
            CallbackQueue queue,
            Request request,
            Supplier<Duration> maxWait,
            RejectionPolicy policy,
            TaskRegistry registry) {
        this.delegate = delegate;
        this.queue = queue;
        this.pairing = delegate.capturesNothing() ? null : queue.shared(Pairing.class, Pairing::new);
        this.postponed = queue.shared(PostponedTasks.class, PostponedTasks::new);
        this.request = request;
        this.maxWait = maxWait;
        this.policy = policy;
        this.registry = registry;
        if (pairing == null) {
            postponed.register(this);
        }
    }

    @Override
    public boolean runsOn(Executor other) {
        return delegate.executor() == other;
    }

    @Override
    public boolean isBusy() {
        return registry.tasks().stream().anyMatch(Task::isOnWorker);
    }

    @Override
    public boolean isStopped() {
        return registry.isStopped();
    }

    @Override
    public void ended(Task<?> task, TaskCounts.End end) {
        registry.leave(task, end);
    }

    /** Takes a new task; may throw what the policy throws. */
    void submit(Task<?> task) {
        if (!registry.enter(task)) {
            reject(task, rejection(Reason.CANCELLED), null, false);
            return;
        }
        Rejection refused = admit(task);
        if (refused != null) {
            new RejectedTask(this, task, refused, null, false).byQueue(null).decide(policy);
        }
    }

    private Rejection rejection(Reason reason) {
        return new Rejection(queue.name(), reason, 0, 0);
    }

    /** Null if the task is in the queue or with the delegate, or the delegate has refused it; a rejection is not counted yet. */
    @Nullable
    Rejection admit(Task<?> task) {
        int withoutPlace = pairing == null ? 0 : pairing.withoutPlace();
        if (withoutPlace > 0 && queue.isFullWith(withoutPlace)) {
            return rejection(Reason.QUEUE_FULL);
        }
        TaskClaim claim = new TaskClaim(this, task);
        Rejection refused;
        try {
            Object requestData = queue.requestData();
            Decision decision = queue.tryAcquire(request, timeoutNanos(), requestData);
            if (decision instanceof Permit permit) {
                task.claim = claim;
                granted(claim, permit, false);
                refused = null;
            } else {
                refused = decision == null ? enter(task, claim, requestData) : (Rejection) decision;
            }
        } catch (RuntimeException | Error e) {
            fail(task, e);
            throw e;
        }
        if (refused == null && pairing != null) {
            passToDelegate(task, false);
        }
        return refused;
    }

    private @Nullable Rejection enter(Task<?> task, TaskClaim claim, @Nullable Object requestData) {
        claim.place = queue.place(request, claim);
        task.claim = claim;
        if (!task.move(Task.OUTSIDE, Task.WAITING)) {
            return null;
        }
        Rejection refused = enter(claim, timeoutNanos(task), requestData);
        if (refused != null) {
            task.move(Task.WAITING, Task.OUTSIDE);
        }
        return refused;
    }

    private long timeoutNanos(Task<?> task) {
        return timesOut(task) ? timeoutNanos() : Long.MAX_VALUE;
    }

    private long timeoutNanos() {
        return CallbackQueue.timeoutNanos(request, maxWait.get());
    }

    /* Aborting a task after its submitter has gone on requires a future that fails. Where the delegate runs the task on the thread
    that submits it, that thread is there to be told: it times itself, see `giveUp`. */
    private boolean timesOut(Task<?> task) {
        return task.hasFuture() || !(policy == RejectedTask.ABORT || policy == RejectedTask.RUN_HERE);
    }

    private void fail(Task<?> task, Throwable cause) {
        if (task.withdraw()) {
            task.fail(cause);
            registry.leave(task, TaskCounts.End.REJECTED);
        }
    }

    @Override
    public void granted(TaskClaim claim, Permit permit) {
        granted(claim, permit, true);
    }

    private void granted(TaskClaim claim, Permit permit, boolean late) {
        int from = late ? Task.WAITING : Task.OUTSIDE;
        Task<?> task = claim.task;
        boolean held = pairing == null ? task.hold(claim, permit, from) : pairing.hold(claim, permit, from);
        if (!held) {
            Undoable.undo(permit);
        } else if (pairing == null) {
            passToDelegate(task, late);
        }
    }

    private void passToDelegate(Task<?> task, boolean late) {
        DelegatedTask delegated = delegate.reports() ? null : new DelegatedTask(this, task);
        try {
            task.submitter = late ? null : Thread.currentThread();
            delegate.executor().execute(delegated == null ? task : delegated);
        } catch (RuntimeException | Error e) {
            if (delegated != null) {
                delegated.disarm();
            }
            if (pairing != null) {
                pairing.retract(task);
            }
            if (late && e instanceof RejectedExecutionException && isPostponed(task)) {
                return;
            }
            if (task.is(Task.GRANTED) || task.is(Task.OUTSIDE)) {
                reject(task, rejection(delegate.isShut() ? Reason.CANCELLED : Reason.QUEUE_FULL), e, late);
            } else if (task.begun && late) {
                report(e);
            } else if (task.begun) {
                throw e;
            }
            return;
        } finally {
            task.submitter = null;
        }
        Rejection refused = task.refusedAtSubmitter;
        if (refused != null) {
            CallbackQueue.Place place = Objects.requireNonNull(task.claim).place;
            boolean left = place != null && place.decision() == refused;
            new RejectedTask(this, task, refused, null, false)
                    .byQueue(left ? place : null)
                    .decide(policy);
        }
    }

    private boolean isPostponed(Task<?> task) {
        return pairing == null
                && !delegate.isShut()
                && task.is(Task.GRANTED)
                && postponed.add(task, delegate.executor());
    }

    @Override
    public void runPostponed() {
        Executor mine = delegate.executor();
        for (Task<?> next = postponed.next(mine); next != null; next = postponed.next(mine)) {
            next.host.beginPostponed(next);
        }
    }

    @Override
    public void beginPostponed(Task<?> task) {
        if (delegate.isShut()) {
            reject(task, rejection(Reason.CANCELLED), null, true);
            return;
        }
        boolean unused = Thread.interrupted();
        try {
            task.performIfGranted();
        } catch (Throwable t) {
            report(t);
        }
    }

    @Override
    public void begin(Task<?> task) {
        if (pairing == null || registry.isStopped()) {
            task.run();
            return;
        }
        WaitTime time = WaitTime.of(task.isAtSubmitter() && !timesOut(task) ? timeoutNanos() : Long.MAX_VALUE);
        if (pairing.enters(task) && !entersLate(task, pairing, time) && pairing.givesUp(task)) {
            giveUp(task);
        } else if (pairing.begin(task, time)) {
            task.perform();
        } else if (pairing.givesUp(task)) {
            giveUp(task);
        } else {
            task.run();
        }
    }

    /* The worker was interrupted; or it is the submitter, and its time is over: the policy decides when the delegate has returned,
    so that no delegate swallows what the submitter is thrown. A permit that is granted now is released. */
    private void giveUp(Task<?> task) {
        if (Thread.currentThread().isInterrupted()) {
            reject(task, rejection(Reason.CANCELLED), null, true);
            return;
        }
        CallbackQueue.Place place = Objects.requireNonNull(task.claim).place;
        CallbackQueue.Place left = place != null && place.withdraw(Reason.TIMED_OUT) ? place : null;
        task.refusedAtSubmitter =
                left != null && left.decision() instanceof Rejection refused ? refused : rejection(Reason.TIMED_OUT);
    }

    /* False if the worker was interrupted while the queue had no room, or its time is over. */
    private boolean entersLate(Task<?> task, Pairing workers, WaitTime time) {
        try {
            while (!Thread.currentThread().isInterrupted() && time.left() > 0) {
                TaskClaim claim = claimWithPlace(task);
                Rejection refused =
                        workers.claims(task, claim) ? enter(claim, timeoutNanos(task), queue.requestData()) : null;
                if (refused == null) {
                    return true;
                } else if (refused.reason() != Reason.QUEUE_FULL) {
                    refused(claim, refused);
                    return true;
                }
                workers.isWithout(task);
                LockSupport.parkNanos(this, BlockingAcquire.RETRY_NANOS);
            }
            return false;
        } catch (RuntimeException | Error e) {
            fail(task, e);
            throw e;
        } finally {
            workers.hasEntered();
        }
    }

    @Override
    public boolean withdraw(Task<?> task) {
        if (pairing != null) {
            return pairing.withdraw(task);
        }
        int from = task.end();
        postponed.remove(task);
        task.releaseFrom(from);
        return from != Task.OVER;
    }

    @Override
    public void discarded(Task<?> task) {
        if (pairing != null) {
            pairing.retract(task);
        }
        if (task.is(Task.GRANTED) || task.is(Task.OUTSIDE)) {
            Throwable cause = new RejectedExecutionException("discarded by " + delegate.executor());
            reject(task, rejection(delegate.isShut() ? Reason.CANCELLED : Reason.QUEUE_FULL), cause, true);
        }
    }

    @Override
    public void refused(TaskClaim claim, Rejection rejection) {
        Task<?> task = pairing == null ? claim.task : pairing.refused(claim);
        if (task == null) {
            countRejection(rejection, claim.place);
        } else if (pairing != null && rejection.reason() == Reason.TIMED_OUT && !timesOut(task)) {
            enterAgain(task, pairing);
        } else {
            new RejectedTask(this, task, rejection, null, true)
                    .byQueue(claim.place)
                    .decide(policy);
        }
    }

    @Override
    public void countRejection(Rejection rejection, CallbackQueue.@Nullable Place place) {
        queue.countRejection(request, rejection, place);
    }

    /* The task had got the place of another one that may wait for less long. */
    private void enterAgain(Task<?> task, Pairing workers) {
        TaskClaim claim = claimWithPlace(task);
        if (workers.renewed(task, claim)) {
            Rejection refused = enter(claim, Long.MAX_VALUE, queue.requestData());
            if (refused != null) {
                refused(claim, refused);
            }
        }
    }

    private TaskClaim claimWithPlace(Task<?> task) {
        TaskClaim claim = new TaskClaim(this, task);
        claim.place = queue.place(request, claim);
        return claim;
    }

    private @Nullable Rejection enter(TaskClaim claim, long timeout, @Nullable Object requestData) {
        Rejection refused = Objects.requireNonNull(claim.place).enter(timeout, requestData);
        if (refused == null && claim.task.is(Task.OVER)) {
            claim.withdraw();
        }
        return refused;
    }

    private void reject(Task<?> task, Rejection rejection, @Nullable Throwable cause, boolean late) {
        new RejectedTask(this, task, rejection, cause, late).decide(policy);
    }

    /** Reports what no future and no caller gets. */
    void report(Throwable thrown) {
        Thread current = Thread.currentThread();
        try {
            current.getUncaughtExceptionHandler().uncaughtException(current, thrown);
        } catch (Throwable t) {
            registry.countFailure();
        }
    }

    BlockingAcquire blockingAcquire() {
        return new BlockingAcquire(queue, request, maxWait.get());
    }

    /** For a task that is not in the queue: its submitter has acquired this permit. */
    void granted(Task<?> task, Permit permit) {
        TaskClaim claim = new TaskClaim(this, task);
        task.claim = claim;
        if (!task.hold(claim, permit, Task.OUTSIDE)) {
            Undoable.undo(permit);
        }
    }

    @Nullable
    Task<?> oldest() {
        return queue.oldest(callback -> callback instanceof TaskClaim claim && claim.host == this)
                        instanceof TaskClaim claim
                ? claim.task
                : null;
    }
}
