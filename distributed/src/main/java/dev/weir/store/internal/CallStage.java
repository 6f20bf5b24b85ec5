package dev.weir.store.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The stage of a call that waits before it is sent, and can be cancelled until then. Thread-safe. */
public final class CallStage<T> extends CompletableFuture<T> {
    /*
     * The caller's time-out and the sender both need the call to be waiting; the first of them has it:
     *
     *     time-out                             sender
     *     cancelUnsent: WAITING -> CANCELLED
     *                                          begin: false; leaves it out
     * or
     *                                          begin: WAITING -> SENT; sends it
     *     cancelUnsent: null: it is not known
     *     whether the store counts it
     *                                          the answer is late
     *
     * A command that has certainly counted nothing makes its calls wait again. A call may be answered while it waits, by what was
     * read; so it is cancelled only if this completes the stage.
     */
    private enum State {
        WAITING,
        SENT,
        CANCELLED
    }

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(CallStage.class, "state", State.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The call of a stage. */
    public interface Owner {
        /** Tells after how many nanoseconds from its start the caller cancels it. By default this changes nothing. */
        default void within(long nanos) {}

        /** The failure of a call that was cancelled before it was sent. */
        default Throwable unsent() {
            return new Unsent();
        }
    }

    private static final class Unsent extends CancellationException {
        private static final long serialVersionUID = 1;

        private Unsent() {
            super("not sent in time");
        }

        @Override
        public Throwable fillInStackTrace() {
            return this; // It would cost more than all the rest.
        }
    }

    private final Owner owner;
    private final @Nullable CallStage<?> source;
    private volatile State state = State.WAITING;

    public CallStage(Owner owner) {
        this(owner, null);
    }

    private CallStage(Owner owner, @Nullable CallStage<?> source) {
        this.owner = owner;
        this.source = source;
    }

    /** Takes a call that waits, in order to send it; false if it was cancelled. By the sender only. */
    public boolean begin() {
        return state == State.WAITING && STATE.compareAndSet(this, State.WAITING, State.SENT);
    }

    /** Lets a call wait again of which nothing was counted. By the sender only, after {@link #begin}. */
    public void waitAgain() {
        state = State.WAITING;
    }

    /**
     * Cancels a call that waits.
     *
     * @return its failure; null = it was sent or has ended already
     */
    public @Nullable Throwable cancelUnsent() {
        if (source != null) {
            return source.cancelUnsent();
        }
        if (!STATE.compareAndSet(this, State.WAITING, State.CANCELLED)) {
            return null;
        }
        Throwable why = owner.unsent();
        return completeExceptionally(why) ? why : null;
    }

    /** Tells after how many nanoseconds from its start the caller cancels the call. */
    public void within(long nanos) {
        owner.within(nanos);
    }

    /** The stage of an answer that is computed from that of this one, and is cancelled with it. */
    public <U> CallStage<U> map(Function<? super T, ? extends U> function) {
        CallStage<U> mapped = new CallStage<>(owner, this);
        CompletableFuture<T> unused = whenComplete((answer, thrown) -> {
            if (thrown != null) {
                mapped.completeExceptionally(thrown);
                return;
            }
            try {
                mapped.complete(function.apply(answer));
            } catch (Throwable t) {
                mapped.completeExceptionally(t);
            }
        });
        return mapped;
    }
}
