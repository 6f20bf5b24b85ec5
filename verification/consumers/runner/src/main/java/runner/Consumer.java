package runner;

/** A project that uses Weir. */
interface Consumer {
    String name();

    /** Connects, decides, reloads. */
    void run();

    /** Called after {@link #run}; waits until it has ended by itself. Empty if it passed, or lines that say why not. */
    String failure();
}
