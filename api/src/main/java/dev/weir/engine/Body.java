package dev.weir.engine;

import dev.weir.Rejection;
import java.util.function.Consumer;

/** A function that runs the work that a caller passed, and returns its result. A constant: it captures nothing. */
interface Body<W, T, X extends Exception> {
    T call(W work) throws X;

    /** The body of a {@code Runnable}; the result has no meaning. */
    static Boolean run(Runnable work) {
        work.run();
        return true;
    }

    /** The fallback of a {@code Runnable}; the result has no meaning. */
    static Boolean accept(Consumer<? super Rejection> fallback, Rejection rejection) {
        fallback.accept(rejection);
        return true;
    }
}
