package dev.weir.engine;

import dev.weir.Rejection.Reason;
import dev.weir.engine.LimiterView.Counting;
import dev.weir.spi.Registration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Running totals of the requests that a limiter granted and refused, and of what failed. Thread-safe; the totals are
 * not read at one instant.
 */
public final class Counts {
    private final LongAdder admitted = new LongAdder();
    private final LongAdder passed = new LongAdder();
    private final LongAdder[] refused = new LongAdder[Reason.values().length];

    /* Rare, and counted where no memory may be left: these allocate nothing. */
    final AtomicLong doubleReleases = new AtomicLong();
    final AtomicLong settledAgain = new AtomicLong();
    final AtomicLong failures = new AtomicLong();

    Counts() {
        Arrays.setAll(refused, i -> new LongAdder());
    }

    /** Requests granted, for any number of permits, including those that were {@linkplain #passed let through}. */
    public long admitted() {
        return admitted.sum();
    }

    /** Requests refused for this reason. */
    public long refused(Reason reason) {
        return refused[reason.ordinal()].sum();
    }

    /** Requests over the limit that were let through, because the enforced share was less than 1. */
    public long passed() {
        return passed.sum();
    }

    /** Releases of permits that had been released before; they did nothing. Counted from the beginning. */
    public long doubleReleases() {
        return doubleReleases.get();
    }

    /** Permits settled after they had been settled or released; that did nothing. Counted from the beginning. */
    public long settledAgain() {
        return settledAgain.get();
    }

    /** Exceptions of observers, listeners, classifiers and strategies that were ignored. Counted from the beginning. */
    public long failures() {
        return failures.get();
    }

    /** The figures, in one line. */
    @Override
    public String toString() {
        String reasons = Stream.of(Reason.values())
                .filter(reason -> refused(reason) > 0)
                .map(reason -> reason + "=" + refused(reason))
                .collect(Collectors.joining(", ", "{", "}"));
        return "Counts[admitted=" + admitted() + ", refused=" + reasons + ", passed=" + passed() + ", doubleReleases="
                + doubleReleases() + ", settledAgain=" + settledAgain() + ", failures=" + failures() + "]";
    }

    /** The counts, for one who has the limiter count until then. */
    record Until(Counts counts, Registration end) implements Counting {
        @Override
        public void close() {
            end.close();
        }
    }

    void countAdmitted(boolean over) {
        admitted.increment();
        if (over) {
            passed.increment();
        }
    }

    void countRefused(Reason reason) {
        refused[reason.ordinal()].increment();
    }
}
