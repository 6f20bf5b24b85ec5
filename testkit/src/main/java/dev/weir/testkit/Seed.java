package dev.weir.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.StackWalker.StackFrame;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.IntPredicate;

/**
 * Seeded randomness for property tests: the failure names the seed, and {@code -Dseed=...} replays that one alone.
 *
 * <p>Without {@code -Dseed}, a property first replays the seeds of its test class in the file that the system property {@code
 * weir.red-seeds} names: lines of a class and a seed, comments after {@code #}. Then it runs its own, from the one in the system
 * property {@code weir.seed} on; where that is absent or empty, from another one each time.
 */
public final class Seed {
    private Seed() {}

    /**
     * Runs a property for this many seeds in a row, or once if a seed is replayed.
     *
     * @throws AssertionError naming the seed, if the property throws
     */
    public static void forAll(int runs, Consumer<SplittableRandom> property) {
        forAll(run -> run < runs, property);
    }

    /** As long as another run is wanted; the number of runs. */
    static int forAll(IntPredicate wanted, Consumer<SplittableRandom> property) {
        if (isReplayed()) {
            run(Long.decode(System.getProperty("seed")), property);
            return 1;
        }
        redSeeds(testClass(test()), property);
        long first = first();
        int run = 0;
        while (wanted.test(run)) {
            run(first + run++, property);
        }
        return run;
    }

    static boolean isReplayed() {
        return System.getProperty("seed") != null;
    }

    private static void run(long seed, Consumer<SplittableRandom> property) {
        try {
            property.accept(new SplittableRandom(seed));
        } catch (Throwable failed) {
            String keep = redSeeds().isEmpty()
                    ? ""
                    : "; to keep it: add \"" + testClass(test()) + ' ' + seed + "\" to red-seeds.txt";
            throw new AssertionError("replay with -Dseed=" + seed + keep + ": " + failed.getMessage(), failed);
        }
    }

    private static long first() {
        String seed = System.getProperty("weir.seed", "");
        return seed.isEmpty() ? System.nanoTime() : Long.decode(seed);
    }

    private static String redSeeds() {
        return System.getProperty("weir.red-seeds", "");
    }

    private static void redSeeds(String test, Consumer<SplittableRandom> property) {
        if (redSeeds().isEmpty()) {
            return;
        }
        try {
            for (String line : Files.readAllLines(Path.of(redSeeds()))) {
                String[] words = line.replaceFirst("#.*", "").strip().split("\\s+", -1);
                if (words[0].equals(test)) {
                    run(Long.decode(words[1]), property);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The outermost frame of Weir in this thread. */
    static StackFrame test() {
        return StackWalker.getInstance()
                .walk(frames -> frames.filter(frame -> frame.getClassName().startsWith("dev.weir."))
                        .reduce((inner, outer) -> outer))
                .orElseThrow();
    }

    /** The top-level class, also of a nested one. */
    static String testClass(StackFrame test) {
        return test.getClassName().replaceFirst("[$].*", "");
    }

    /** One of the values. */
    @SafeVarargs
    public static <T> T oneOf(SplittableRandom random, T... values) {
        return values[random.nextInt(values.length)];
    }
}
