package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Limiter;
import dev.weir.Permit;
import dev.weir.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** A count of the permits that a limiter grants, made by acquiring from it and not from the figures that it gives. */
public final class Oracle {
    private Oracle() {}

    /**
     * Counts the free permits: acquires one by one until refused, releases them, and does so again. Call it when no permit is
     * held.
     *
     * @throws AssertionError if there were not exactly this many, each time
     */
    public static void assertCapacity(long expected, Limiter limiter) {
        assertCapacity(expected, limiter, () -> Request.ONE);
    }

    static void assertCapacity(long expected, Limiter limiter, Supplier<Request> one) {
        for (String again : new String[] {"", ", taken again"}) {
            List<Permit> taken = takeAll(expected + 1, limiter, one);
            assertEquals(expected, taken.size(), () -> "free permits of " + limiter.name() + again);
            taken.forEach(Permit::close);
        }
    }

    static List<Permit> takeAll(long atMost, Limiter limiter, Supplier<Request> one) {
        List<Permit> taken = new ArrayList<>();
        while (taken.size() < atMost && limiter.tryAcquire(one.get()) instanceof Permit permit) {
            taken.add(permit);
        }
        return taken;
    }

    /** One grant: the instant in nanoseconds, and how many permits. */
    public record Grant(long at, long permits) {}

    /** The most permits granted in any half-open window of this length; the grants are in order of time. */
    public static long maxInAnyWindow(List<Grant> grants, long windowNanos) {
        long max = 0;
        long inside = 0;
        int oldest = 0;
        for (Grant grant : grants) {
            inside += grant.permits();
            while (grant.at() - grants.get(oldest).at() >= windowNanos) {
                inside -= grants.get(oldest++).permits();
            }
            max = Math.max(max, inside);
        }
        return max;
    }

    /** Asserts that no half-open window of this length holds more than {@code bound} permits. */
    public static void assertWindow(List<Grant> grants, long windowNanos, long bound) {
        long max = maxInAnyWindow(grants, windowNanos);
        assertTrue(max <= bound, () -> max + " permits granted within " + windowNanos + " ns, bound " + bound);
    }
}
