package dev.weir.store.internal;

import dev.weir.store.NotCountedException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The stage of a call that waits before it is sent, and can be cancelled until then. Thread-safe. */
public class CallStage<T> extends CompletableFuture<T> {
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

    private volatile State state = State.WAITING;

    /** Takes a call that waits, in order to send it; false if it was cancelled. By the sender only. */
    public final boolean begin() {
        return state == State.WAITING && STATE.compareAndSet(this, State.WAITING, State.SENT);
    }

    /** Lets a call wait again of which nothing was counted. By the sender only, after {@link #begin}. */
    public final void waitAgain() {
        state = State.WAITING;
    }

    /**
     * Cancels a call that waits.
     *
     * @return its failure; null = it was sent or has ended already
     */
    public @Nullable Throwable cancelUnsent() {
        if (!STATE.compareAndSet(this, State.WAITING, State.CANCELLED)) {
            return null;
        }
        Throwable why = unsent();
        return completeExceptionally(why) ? why : null;
    }

    /** The failure of a call that was cancelled. */
    protected Throwable unsent() {
        return new NotCountedException("not sent in time");
    }

    /** Tells after how many nanoseconds from its start the caller cancels it. By default this changes nothing. */
    public void within(long nanos) {}

    /** The stage of an answer that is computed from that of this one, and is cancelled with it. */
    public final <U> CallStage<U> map(Function<? super T, ? extends U> function) {
        Mapped<U> mapped = new Mapped<>(this);
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

    private static final class Mapped<U> extends CallStage<U> {
        private final CallStage<?> source;

        private Mapped(CallStage<?> source) {
            this.source = source;
        }

        @Override
        public @Nullable Throwable cancelUnsent() {
            return source.cancelUnsent();
        }

        @Override
        public void within(long nanos) {
            source.within(nanos);
        }
    }
}
