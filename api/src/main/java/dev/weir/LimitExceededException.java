package dev.weir;

import java.util.Objects;

/** Thrown if a request is refused and there is no fallback. Has the {@link Rejection}, and no stack trace. */
public final class LimitExceededException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Rejection rejection;

    /** Creates the exception for this rejection. */
    public LimitExceededException(Rejection rejection) {
        super(null, null, false, false);
        this.rejection = Objects.requireNonNull(rejection, "rejection");
    }

    /** Why and by which limiter the request was refused. */
    public Rejection rejection() {
        return rejection;
    }

    @Override
    public String getMessage() {
        return String.valueOf(rejection);
    }
}
