package dev.weir.executor;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.internal.Undoable;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture.AsynchronousCompletionTask;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** One task from its submission to its end, and the future of it. */
final class Task<V> extends FutureTask<V> {
    /*
     *     FRESH -> OUTSIDE -> WAITING -> GRANTED -> RUNNING -> OVER
     *                 | \________________^ |                    ^
     *                 \___________\________\___________________/
     *
     * The thread that moves it owns what follows. From OUTSIDE, WAITING or GRANTED to OVER (cancel, rejection, shutdownNow):
     * it leaves the queue or releases the permit, and the task never runs. From GRANTED to RUNNING: the runner holds the
     * permit until the work has really ended, whatever the state of the future is by then.
     *
     * A future that is done has released its permit, so that a submitter that submits one task after the other is not
     * refused because of the former one.
     */
    static final int FRESH = 0;
    /** Submitted, and neither in the queue nor granted. */
    static final int OUTSIDE = 1;

    static final int WAITING = 2;
    static final int GRANTED = 3;
    static final int RUNNING = 4;
    static final int OVER = 5;

    @SuppressWarnings("rawtypes")
    private static final AtomicIntegerFieldUpdater<Task> STAGE =
            AtomicIntegerFieldUpdater.newUpdater(Task.class, "stage");

    /** Its executor; tasks of one executor acquire the same request. */
    final TaskHost host;
    /** The runnable of {@code execute}; null if the submitter has this future. */
    private final @Nullable Runnable bare;

    /* The thread whose CAS succeeds runs, rejects or cancels the task. */
    private volatile int stage;
    private volatile boolean interrupting;
    /** The future of a completion service that runs this one. */
    private @Nullable Runnable carrier;

    @Nullable
    TaskClaim claim;
    /** The worker that has started it, once one has. */
    volatile @Nullable Thread worker;
    /* The thread that passes it to the delegate, while it does, and how the task is refused there: of use to that thread only. */
    @Nullable
    Thread submitter;

    @Nullable
    Rejection refusedAtSubmitter;

    /* Plain: written before the task enters its slot, whose CAS publishes it, and read by the thread that ends the task. */
    private @Nullable AtomicReferenceArray<@Nullable Task<?>> segment;
    private int slot;
    volatile boolean begun;
    private volatile boolean here;
    private @Nullable Throwable thrown;

    Task(TaskHost host, Callable<V> work, @Nullable Runnable bare) {
        super(work);
        this.host = host;
        this.bare = bare;
    }

    boolean isOnWorker() {
        return stage == RUNNING && !here;
    }

    /** The runnable of {@code execute}, or else the future that the submitter has. */
    Runnable submitted() {
        return bare == null ? this : bare;
    }

    /** True if its submitter learns of a late rejection by a future. */
    boolean hasFuture() {
        return bare == null || (bare instanceof Future<?> && !(bare instanceof AsynchronousCompletionTask));
    }

    /** True once. */
    boolean submit() {
        return move(FRESH, OUTSIDE);
    }

    /** As {@link #submit()}, within the future of a completion service. */
    boolean submitIn(Runnable completion) {
        carrier = completion;
        return submit();
    }

    boolean is(int expected) {
        return stage == expected;
    }

    boolean move(int from, int to) {
        return STAGE.compareAndSet(this, from, to);
    }

    void entersAt(AtomicReferenceArray<@Nullable Task<?>> itsSegment, int itsSlot) {
        slot = itsSlot;
        segment = itsSegment;
    }

    void leave() {
        AtomicReferenceArray<@Nullable Task<?>> left = segment;
        if (left != null) {
            left.setRelease(slot, null);
        }
    }

    /** True if the delegate runs the task on the thread that submits it, within the call. */
    boolean isAtSubmitter() {
        return submitter == Thread.currentThread();
    }

    /** False if it is over, or has another claim by now: the caller keeps the permit. */
    boolean hold(TaskClaim granted, Permit permit, int from) {
        granted.permit = permit;
        return claim == granted && move(from, GRANTED);
    }

    /** Ends a task that has not begun. Its stage before, or {@link #OVER} if it had begun or was over. */
    int end() {
        for (int from = stage; from == OUTSIDE || from == WAITING || from == GRANTED; from = stage) {
            if (move(from, OVER)) {
                return from;
            }
        }
        return OVER;
    }

    /** Leaves the queue or releases the permit, by the stage in which it ended. Calls foreign code. */
    void releaseFrom(int from) {
        TaskClaim had = claim;
        if (had == null) {
            return;
        }
        if (from == WAITING) {
            had.withdraw();
        } else if (from == GRANTED && had.permit != null) {
            Undoable.undo(had.permit);
        }
    }

    /** Withdraws it, with what it holds; false if it runs or is over. The caller completes its future. */
    boolean withdraw() {
        return host.withdraw(this);
    }

    /** Runs it if it was granted. Within the future of a completion service: runs the work. */
    @Override
    public void run() {
        if (stage == FRESH || (carrier != null && stage == RUNNING)) {
            super.run();
        } else {
            try {
                performIfGranted();
            } finally {
                host.runPostponed();
            }
        }
    }

    void performIfGranted() {
        if (!host.isStopped() && move(GRANTED, RUNNING)) {
            perform();
        }
    }

    /** Runs it if it was granted, on a thread that is no worker of the delegate. */
    void runHere() {
        here = true;
        performIfGranted();
    }

    /** Runs a task that was moved to {@link #RUNNING}; throws what the work throws if there is no future. */
    void perform() {
        begun = true;
        boolean interruptedBefore = Thread.currentThread().isInterrupted();
        try {
            if (carrier == null) {
                super.run();
            } else {
                carrier.run();
            }
        } finally {
            release(Outcome.IGNORED);
            stage = OVER;
            host.ended(this, endOfWork());
            if (interrupting && isCancelled() && !interruptedBefore) {
                boolean unused = Thread.interrupted();
            }
        }
        Throwable t = bare == null || isCancelled() ? null : thrown;
        if (t != null) {
            Task.<RuntimeException>sneak(t);
        }
    }

    private TaskCounts.End endOfWork() {
        if (isCancelled() || (bare instanceof FutureTask<?> future && future.isCancelled())) {
            return TaskCounts.End.CANCELLED;
        }
        return failure() == null ? TaskCounts.End.SUCCEEDED : TaskCounts.End.FAILED;
    }

    /** The exception of the work, or that which a {@code FutureTask} passed to {@code execute} keeps. */
    private @Nullable Throwable failure() {
        if (thrown != null || !(bare instanceof FutureTask<?> future) || !future.isDone() || future.isCancelled()) {
            return thrown;
        }
        try {
            Object unused = future.get();
            return null;
        } catch (ExecutionException e) {
            return e.getCause();
        } catch (InterruptedException e) {
            throw new AssertionError("a future that is done does not wait", e);
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals", "DoNotCallSuggester"})
    private static <T extends Throwable> void sneak(Throwable t) throws T {
        throw (T) t;
    }

    private void release(Outcome outcome) {
        TaskClaim had = claim;
        Permit held = had == null ? null : had.permit;
        if (had != null && held != null) {
            had.permit = null;
            held.release(outcome);
        }
    }

    @Override
    protected void set(V value) {
        release(outcome());
        super.set(value);
    }

    @Override
    protected void setException(Throwable t) {
        thrown = t;
        release(outcome());
        super.setException(t);
    }

    private Outcome outcome() {
        if (isCancelled()) {
            return Outcome.IGNORED;
        }
        Throwable failure = failure();
        return failure == null ? Outcome.SUCCESS : Outcome.of(failure);
    }

    void fail(Throwable cause) {
        super.setException(cause);
        cancelSubmitted();
    }

    @SuppressWarnings("unchecked")
    void complete(@Nullable Object value) {
        super.set((V) value);
        cancelSubmitted();
    }

    void discard() {
        super.cancel(false);
        cancelSubmitted();
    }

    private void cancelSubmitted() {
        if (bare instanceof Future<?> future) {
            future.cancel(false);
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        if (mayInterruptIfRunning) {
            interrupting = true;
        }
        return super.cancel(mayInterruptIfRunning);
    }

    @Override
    protected void done() {
        if (isCancelled() && withdraw()) {
            host.ended(this, TaskCounts.End.CANCELLED);
        }
        if (carrier != null && stage == OVER) {
            carrier.run();
        }
    }
}
