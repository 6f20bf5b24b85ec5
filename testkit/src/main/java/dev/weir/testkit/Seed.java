package dev.weir.testkit;

import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Seeded randomness for property tests: another seed each run, named by the failure, replayed with {@code
 * -Dseed=...}.
 */
public final class Seed {
    private Seed() {}

    /**
     * Runs a property for this many seeds in a row, or once if a seed is replayed.
     *
     * @throws AssertionError naming the seed, if the property throws
     */
    public static void forAll(int runs, Consumer<SplittableRandom> property) {
        long first = first();
        for (int run = 0; run < (isReplayed() ? 1 : runs); run++) {
            long seed = first + run;
            try {
                property.accept(new SplittableRandom(seed));
            } catch (Throwable failed) {
                throw new AssertionError("replay with -Dseed=" + seed + ": " + failed.getMessage(), failed);
            }
        }
    }

    /** The seed to start with: that of {@code -Dseed}, or another each time. */
    static long first() {
        Long replayed = Long.getLong("seed");
        return replayed != null ? replayed : System.nanoTime();
    }

    static boolean isReplayed() {
        return Long.getLong("seed") != null;
    }

    /** One of the values. */
    @SafeVarargs
    public static <T> T oneOf(SplittableRandom random, T... values) {
        return values[random.nextInt(values.length)];
    }
}
