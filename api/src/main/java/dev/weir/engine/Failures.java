package dev.weir.engine;

import dev.weir.Outcome;
import java.lang.System.Logger;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** A handler of exceptions from code that a limiter calls: each is counted and ignored, the first is logged. Thread-safe. */
final class Failures {
    private final String limiter;
    private final Counts counts;
    private final Function<? super Throwable, Outcome> classifier;
    private final AtomicBoolean logged = new AtomicBoolean();

    Failures(String limiter, Counts counts, Function<? super Throwable, Outcome> classifier) {
        this.limiter = limiter;
        this.counts = counts;
        this.classifier = classifier;
    }

    void ignore(Throwable thrown) {
        counts.failures.getAndIncrement();
        try {
            if (logged.compareAndSet(false, true)) {
                String message = "limiter " + limiter + ": code it called failed (logged once)";
                System.getLogger("dev.weir.engine.Engine").log(Logger.Level.WARNING, message, thrown);
            }
        } catch (Throwable ignored) {
            // There is nowhere to log that the logger failed.
        }
    }

    /** The outcome of work that threw this. */
    Outcome outcomeOf(Throwable thrown) {
        try {
            return Objects.requireNonNull(classifier.apply(thrown), "classifier");
        } catch (Throwable t) {
            ignore(t);
            return Outcome.IGNORED;
        }
    }
}
