package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One task from its submission to its end: what the delegate runs, and the future of it. */
final class Task<V> extends FutureTask<V> implements Consumer<Decision> {
    /*
     *     FRESH -> SUBMITTED -> GRANTED -> RUNNING -> OVER
     *                   \----------\------------------^
     *
     * Whoever moves it owns what follows: from SUBMITTED or GRANTED to OVER (cancel, rejection, shutdownNow) the place
     * in line and the permit are given back and the task never runs; from GRANTED to RUNNING the permit is the
     * runner's, until the work has really ended, whatever the future says by then.
     *
     * A future that is done has returned its permit: who submits one task after the other is not refused by himself.
     */
    private static final int FRESH = 0;
    private static final int SUBMITTED = 1;
    private static final int GRANTED = 2;
    private static final int RUNNING = 3;
    private static final int OVER = 4;
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

    private final @Nullable Consumer<? super Task<V>> whenDone;
    private volatile int stage;
    private volatile @Nullable Answer place;
    private @Nullable Permit permit;
    private @Nullable Throwable thrown;

    Task(Dispatch dispatch, Callable<V> work, @Nullable Runnable bare, @Nullable Consumer<? super Task<V>> whenDone) {
        super(work);
        this.dispatch = dispatch;
        this.bare = bare;
        this.whenDone = whenDone;
    }

    boolean isOf(Dispatch other) {
        return dispatch == other;
    }

    /** What the submitter gave: himself, for one who has the future. */
    Runnable given() {
        return bare == null ? this : bare;
    }

    /** True once. */
    boolean submit() {
        return move(FRESH, SUBMITTED);
    }

    void standsAt(Answer answer) {
        place = answer;
    }

    /** What the line has decided. */
    @Override
    public void accept(Decision decision) {
        if (decision instanceof Permit granted) {
            dispatch.grantedInLine(this, granted);
        } else {
            dispatch.refused(this, (Rejection) decision, null, true);
        }
    }

    /** Takes the permit; one that is over returns it. */
    boolean hold(Permit granted) {
        permit = granted;
        if (move(SUBMITTED, GRANTED)) {
            return true;
        }
        granted.release(Outcome.CANCELLED);
        return false;
    }

    boolean isGranted() {
        return stage == GRANTED;
    }

    boolean isOver() {
        return stage == OVER;
    }

    private boolean move(int from, int to) {
        return STAGE.compareAndSet(this, from, to);
    }

    /** Takes it back, and what it holds; false if it runs or is over. Its future is to be completed by the caller. */
    boolean takeBack() {
        if (!move(SUBMITTED, OVER) && !move(GRANTED, OVER)) {
            return false;
        }
        Answer left = place;
        if (left != null) {
            left.withdraw();
        }
        Permit unused = permit;
        if (unused != null) {
            unused.release(Outcome.CANCELLED);
        }
        return true;
    }

    /** As part of a completion service's own future, which was submitted in its stead, it just runs. */
    @Override
    public void run() {
        if (stage == FRESH) {
            super.run();
        } else {
            dispatch.work(this);
        }
    }

    /** False if it was taken back; what it threw stays in it. */
    boolean perform() {
        if (!move(GRANTED, RUNNING)) {
            return false;
        }
        try {
            super.run();
        } finally {
            release(Outcome.IGNORED);
            stage = OVER;
        }
        return true;
    }

    Roll.Ending ending() {
        if (isCancelled()) {
            return Roll.Ending.CANCELLED;
        }
        return thrown == null ? Roll.Ending.SUCCEEDED : Roll.Ending.FAILED;
    }

    /** What goes up the worker's stack: only what was thrown by a task that has no future to keep it. */
    void rethrow() {
        Throwable t = bare == null || isCancelled() ? null : thrown;
        if (t != null) {
            Task.<RuntimeException>sneak(t);
        }
    }

    boolean rethrows() {
        return bare != null && thrown != null;
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T extends Throwable> void sneak(Throwable t) throws T {
        throw (T) t;
    }

    private void release(Outcome outcome) {
        Permit held = permit;
        if (held != null) {
            permit = null;
            dispatch.release(held, outcome);
        }
    }

    @Override
    protected void set(V value) {
        release(isCancelled() ? Outcome.IGNORED : Outcome.SUCCESS);
        super.set(value);
    }

    @Override
    protected void setException(Throwable t) {
        thrown = t;
        release(isCancelled() ? Outcome.IGNORED : Outcome.of(t));
        super.setException(t);
    }

    /** For one that was taken back. */
    void refuse(Throwable refusal) {
        super.setException(refusal);
    }

    /** For one that was taken back. */
    @SuppressWarnings("unchecked")
    void answer(@Nullable Object value) {
        super.set((V) value);
    }

    @Override
    protected void done() {
        if (isCancelled() && takeBack()) {
            dispatch.roll().leave(this, Roll.Ending.CANCELLED);
        }
        if (whenDone != null) {
            whenDone.accept(this);
        }
    }
}
