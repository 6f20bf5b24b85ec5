package dev.weir.named.status;

/** The exception of an override that was meant for other settings than those of now: nothing is changed. */
public final class RevisionChangedException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    /** The revision of now. */
    private final long revision;

    /**
     * Of an override of this name.
     *
     * @param expected the revision that it was meant for
     * @param revision that of now
     */
    public RevisionChangedException(String name, long expected, long revision) {
        super("the settings of " + name + " must have the revision " + expected + ", had " + revision
                + ": they were changed meanwhile");
        this.revision = revision;
    }

    /** The revision of the settings now, as {@link LimitStatus#revision} tells once they are in force. */
    public long revision() {
        return revision;
    }
}
