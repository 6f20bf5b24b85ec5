package dev.weir;

import java.util.Objects;

/** Thrown where a refusal cannot be a value. Carries the {@link Rejection}; has no stack trace. */
public final class LimitExceededException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Rejection rejection;

    /** An exception for this refusal. */
    public LimitExceededException(Rejection rejection) {
        super(null, null, false, false);
        this.rejection = Objects.requireNonNull(rejection, "rejection");
    }

    /** The refusal. */
    public Rejection rejection() {
        return rejection;
    }

    @Override
    public String getMessage() {
        return String.valueOf(rejection);
    }
}
