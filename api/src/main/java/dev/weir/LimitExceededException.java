package dev.weir;

import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;

/** The exception of a request that is refused where there is no fallback. Has the {@link Rejection}, and no stack trace. */
public final class LimitExceededException extends RejectedExecutionException {
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

    @Override
    public Throwable fillInStackTrace() {
        return this;
    }

    @Override
    public String getMessage() {
        return String.valueOf(rejection);
    }
}
