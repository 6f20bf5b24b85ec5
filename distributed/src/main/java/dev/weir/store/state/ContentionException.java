package dev.weir.store.state;

/** The failure of a call of which the store has counted nothing, because other instances replaced its key each time before. */
public final class ContentionException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** So many replacements were not made. */
    ContentionException(int losses) {
        super("nothing was counted: others replaced the key before, " + losses + " times in a row", null, false, false);
    }
}
