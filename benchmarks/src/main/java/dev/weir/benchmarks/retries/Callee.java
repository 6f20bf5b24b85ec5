package dev.weir.benchmarks.retries;

/** A layer, or the service: something that can be called. */
interface Callee {
    /** Calls it; it answers once, at once or later. */
    void call(Answer answer);

    /** A receiver of the answer of a call. */
    interface Answer {
        void is(boolean success);
    }
}
