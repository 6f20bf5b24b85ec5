package dev.weir;

/** How the work under a permit ended. */
public enum Outcome {
    /** The work was done; its duration is evidence of health. */
    SUCCESS,
    /** The work was lost to load: it timed out or was refused from below. */
    DROPPED,
    /** The work ended in a way that says nothing about load; its duration is not evidence. */
    IGNORED,
    /** The work never started: what the permit held returns, and what it spent is given back too. */
    CANCELLED
}
