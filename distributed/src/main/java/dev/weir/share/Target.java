package dev.weir.share;

/** The code that enforces a share: a limiter or a function. Called by one thread at a time. */
interface Target {
    /** Enforces this when it returns. If it throws, what was enforced before may still be. */
    void set(Setting setting);

    /** Called after a share of 0 that is the last one. */
    default void ended() {}
}
