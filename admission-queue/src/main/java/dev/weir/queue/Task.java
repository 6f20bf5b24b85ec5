package dev.weir.queue;

import dev.weir.Outcome;
import dev.weir.Permit;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture.AsynchronousCompletionTask;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** One task from its submission to its end, and the future of it. */
final class Task<V> extends FutureTask<V> {
    /*
     *     FRESH -> OUTSIDE -> WAITING -> GRANTED -> RUNNING -> OVER
     *                 | \________________^ |                    ^
     *                 \___________\________\___________________/
     *
     * Whoever moves it owns what follows. From OUTSIDE, WAITING or GRANTED to OVER (cancel, refusal, shutdownNow): gives
     * back the place in the queue or the permit, and the task never runs. From GRANTED to RUNNING: the permit is the
     * runner's until the work has really ended, whatever the future says by then.
     *
     * A future that is done has returned its permit, so that a submitter who submits one task after the other is not
     * refused because of the former one.
     */
    static final int FRESH = 0;
    /** Submitted, and neither in the queue nor granted. */
    static final int OUTSIDE = 1;

    static final int WAITING = 2;
    static final int GRANTED = 3;
    static final int RUNNING = 4;
    static final int OVER = 5;
    private static final VarHandle STAGE;

    static {
        try {
            STAGE = MethodHandles.lookup().findVarHandle(Task.class, "stage", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Dispatch dispatch;
    /** What was given to {@code execute}; null if the future is the submitter's. */
    private final @Nullable Runnable bare;

    private volatile int stage;
    private volatile boolean interrupting;
    /** A completion service's own future, which runs this one. */
    private @Nullable Runnable carrier;

    private @Nullable Claim claim;
    private volatile @Nullable Thread worker;
    private @Nullable AtomicReferenceArray<@Nullable Task<?>> room;
    private int slot;
    private volatile boolean begun;
    private volatile boolean here;
    private @Nullable Throwable thrown;

    Task(Dispatch dispatch, Callable<V> work, @Nullable Runnable bare) {
        super(work);
        this.dispatch = dispatch;
        this.bare = bare;
    }

    boolean isOf(Dispatch other) {
        return dispatch == other;
    }

    /** Whether both are of one executor, and so ask for the same. */
    boolean asksAs(Task<?> other) {
        return dispatch == other.dispatch;
    }

    boolean goesTo(Executor delegate) {
        return dispatch.handsTo(delegate);
    }

    /** Whether a worker of the delegate runs it. */
    boolean isOnWorker() {
        return stage == RUNNING && !here;
    }

    /** What the submitter gave, or the future it has. */
    Runnable given() {
        return bare == null ? this : bare;
    }

    /** Whether its submitter learns of a late refusal by a future. */
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

    boolean hasBegun() {
        return begun;
    }

    boolean move(int from, int to) {
        return STAGE.compareAndSet(this, from, to);
    }

    @Nullable
    Claim claim() {
        return claim;
    }

    void claim(Claim next) {
        claim = next;
    }

    /** Where it is among the members. */
    void entersAt(AtomicReferenceArray<@Nullable Task<?>> itsRoom, int itsSlot) {
        slot = itsSlot;
        room = itsRoom;
    }

    void leave() {
        AtomicReferenceArray<@Nullable Task<?>> left = room;
        if (left != null) {
            left.setRelease(slot, null);
        }
    }

    /** The thread that has started it, once one has. */
    @Nullable
    Thread worker() {
        return worker;
    }

    void worker(Thread current) {
        worker = current;
    }

    /** False if it is over, or has another claim by now: the permit is the caller's still. */
    boolean hold(Claim granted, Permit permit, int from) {
        granted.permit = permit;
        return claim == granted && move(from, GRANTED);
    }

    /** Ends one that has not begun; answers where it was, or {@link #OVER} if it has begun or was over. */
    int end() {
        for (int from = stage; from == OUTSIDE || from == WAITING || from == GRANTED; from = stage) {
            if (move(from, OVER)) {
                return from;
            }
        }
        return OVER;
    }

    /** What it had where it was when it ended. Calls foreign code. */
    void giveBack(int from) {
        Claim had = claim;
        if (had == null) {
            return;
        }
        if (from == WAITING) {
            had.withdraw();
        } else if (from == GRANTED && had.permit != null) {
            had.permit.release(Outcome.CANCELLED);
        }
    }

    /** Takes it back, and what it holds; false if it runs or is over. Its future is to be completed by the caller. */
    boolean takeBack() {
        return dispatch.takeBack(this);
    }

    /** The delegate has dropped it. */
    void dropped() {
        dispatch.dropped(this);
    }

    /** Runs it if it was granted. Within the future of a completion service: what that future runs. */
    @Override
    public void run() {
        if (stage == FRESH || (carrier != null && stage == RUNNING)) {
            super.run();
        } else {
            try {
                performIfGranted();
            } finally {
                dispatch.runPostponed();
            }
        }
    }

    void performIfGranted() {
        if (!dispatch.roll().isStopped() && move(GRANTED, RUNNING)) {
            perform();
        }
    }

    /** For one that its delegate had no worker for when it was granted. */
    void runAfterAnother() {
        dispatch.beginPostponed(this);
    }

    /** Runs it if it was granted, on a thread that is none of the delegate's workers. */
    void runHere() {
        here = true;
        performIfGranted();
    }

    /** For one that was moved to {@link #RUNNING}: runs it, and throws what a task without future throws. */
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
            dispatch.roll().leave(this, ending());
            if (interrupting && isCancelled() && !interruptedBefore) {
                boolean unused = Thread.interrupted();
            }
        }
        Throwable t = bare == null || isCancelled() ? null : thrown;
        if (t != null) {
            Task.<RuntimeException>sneak(t);
        }
    }

    private Roll.Ending ending() {
        if (isCancelled() || (bare instanceof FutureTask<?> future && future.isCancelled())) {
            return Roll.Ending.CANCELLED;
        }
        return failure() == null ? Roll.Ending.SUCCEEDED : Roll.Ending.FAILED;
    }

    /** What the work threw, or keeps: a {@code FutureTask} that was given to {@code execute} throws nothing. */
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

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T extends Throwable> void sneak(Throwable t) throws T {
        throw (T) t;
    }

    private void release(Outcome outcome) {
        Claim had = claim;
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

    /** For one that was taken back. */
    void refuse(Throwable refusal) {
        super.setException(refusal);
        cancelGiven();
    }

    /** For one that was taken back. */
    @SuppressWarnings("unchecked")
    void answer(@Nullable Object value) {
        super.set((V) value);
        cancelGiven();
    }

    /** For one that was taken back. */
    void discard() {
        super.cancel(false);
        cancelGiven();
    }

    private void cancelGiven() {
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
        if (isCancelled() && takeBack()) {
            dispatch.roll().leave(this, Roll.Ending.CANCELLED);
        }
        if (carrier != null && stage == OVER) {
            carrier.run();
        }
    }
}
