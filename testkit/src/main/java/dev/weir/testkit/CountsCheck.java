package dev.weir.testkit;

import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Registration;
import org.jspecify.annotations.Nullable;

/**
 * A check of the counts of a limiter against those that are kept beside it, while observers are added and removed; of none, if
 * there is no limiter of the engine.
 */
final class CountsCheck {
    private final @Nullable ManagedLimiter limiter;
    private @Nullable Registration observer;
    private long admitted;
    private long admittedBeforeCounting = -1;

    CountsCheck(@Nullable ManagedLimiter limiter) {
        this.limiter = limiter;
    }

    void admitted() {
        admitted++;
    }

    /** Begins to count, or adds an observer, or removes it. */
    void watch(int how) {
        if (limiter == null) {
            return;
        }
        if (how == 0 && admittedBeforeCounting < 0) {
            limiter.counts();
            admittedBeforeCounting = admitted;
        } else if (observer == null) {
            observer = limiter.observe(new LimiterObserver() {});
        } else {
            observer.close();
            observer = null;
        }
    }

    void check(long doubleReleases, long settledAgain) {
        if (limiter == null) {
            return;
        }
        if (admittedBeforeCounting >= 0) {
            compare("admitted", limiter.counts().admitted(), admitted - admittedBeforeCounting);
        }
        compare("double releases", limiter.counts().doubleReleases(), doubleReleases);
        compare("settled again", limiter.counts().settledAgain(), settledAgain);
        if (limiter.counts().failures() != 0) {
            throw new Violation("something threw and was swallowed");
        }
    }

    private static void compare(String what, long counted, long expected) {
        if (counted != expected) {
            throw new Violation("counted " + counted + " " + what + ", expected " + expected);
        }
    }
}
