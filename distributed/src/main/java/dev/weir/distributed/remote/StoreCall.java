package dev.weir.distributed.remote;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One command to the store. It ends once: answered, or failed because there was an error or no answer in time. */
abstract class StoreCall implements DelayLine.Item {
    private static final VarHandle ENDED;

    static {
        try {
            ENDED = MethodHandles.lookup().findVarHandle(StoreCall.class, "ended", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long sentAt;
    private volatile boolean ended;

    /** Sends the command. */
    abstract CompletionStage<?> send();

    /** The answer came in time. */
    abstract void answered(Object answer);

    /** The store did not answer in time, or failed: it is not known whether it has counted. */
    abstract void failed();

    /** The answer came after the call had failed. */
    void answeredLate(Object answer) {}

    /** Whether an answer is one. */
    boolean accepts(@Nullable Object answer) {
        return answer instanceof Reply;
    }

    final void sentAt(long reading) {
        sentAt = reading;
    }

    @Override
    public final long since() {
        return sentAt;
    }

    @Override
    public final boolean isDone() {
        return ended;
    }

    /** False if it has ended before. */
    final boolean end() {
        return !ended && ENDED.compareAndSet(this, false, true);
    }
}
