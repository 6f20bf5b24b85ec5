package dev.weir.store;

/**
 * The failure of a command that the store has certainly not counted, such as one that was not sent for want of a connection. A
 * {@link StoreLimit} may complete a stage with it, so that what such a command was to count is kept. Has no stack trace.
 */
public class NotCountedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** With a message for logs. */
    public NotCountedException(String message) {
        super(message, null, false, false);
    }

    /** True if the store has answered all the same, so that it is not away. By default false. */
    public boolean isAnswered() {
        return false;
    }
}
