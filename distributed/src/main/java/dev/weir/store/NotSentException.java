package dev.weir.store;

/**
 * The failure of a command that was certainly not sent, such as without a connection: the store has not counted it. A {@link StoreLimit}
 * may complete a stage with it, so that what such a command was to count is kept. Has no stack trace.
 */
public final class NotSentException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** With a message for logs. */
    public NotSentException(String message) {
        super(message, null, false, false);
    }
}
