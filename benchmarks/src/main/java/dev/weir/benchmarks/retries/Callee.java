package dev.weir.benchmarks.retries;

/** What can be called: a layer or the service. */
interface Callee {
    /** Calls it; it answers once, at once or later. */
    void call(Answer answer);

    /** What becomes of the answer of a call. */
    interface Answer {
        void is(boolean success);
    }
}
