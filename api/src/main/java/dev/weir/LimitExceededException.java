package dev.weir;

import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;

/** The exception of a request that is refused where there is no fallback. Has the {@link Rejection}, and no stack trace. */
public final class LimitExceededException extends RejectedExecutionException implements Outcome.Known {
    private static final long serialVersionUID = 1L;

    private final transient Rejection rejection;

    /** Creates the exception for this rejection. */
    public LimitExceededException(Rejection rejection) {
        this.rejection = Objects.requireNonNull(rejection, "rejection");
    }

    /** Why and by which limiter the request was refused. */
    public Rejection rejection() {
        return rejection;
    }

    /**
     * The outcome of work that ends because what it called throws this: {@link Outcome#DROPPED} if that had too much to do or
     * could not decide ({@code CONCURRENCY}, {@code QUEUE_FULL}, {@code TIMED_OUT}, {@code SHED}, {@code UNAVAILABLE}), and
     * {@link Outcome#IGNORED} if a quota was used up, the request could never be granted, or was cancelled, or the limit was
     * suspended ({@code RATE}, {@code NEVER}, {@code KEY_MISSING}, {@code CANCELLED}, {@code SUSPENDED}): that says nothing about
     * load.
     */
    @Override
    public Outcome outcome() {
        if (rejection == null) { // It is not serialized: another JVM has thrown this.
            return Outcome.DROPPED;
        }
        return switch (rejection.reason()) {
            case CONCURRENCY, QUEUE_FULL, TIMED_OUT, SHED, UNAVAILABLE -> Outcome.DROPPED;
            case RATE, NEVER, KEY_MISSING, CANCELLED, SUSPENDED -> Outcome.IGNORED;
        };
    }

    @Override
    public Throwable fillInStackTrace() {
        return this;
    }

    @Override
    public String getMessage() {
        return String.valueOf(rejection);
    }
}
