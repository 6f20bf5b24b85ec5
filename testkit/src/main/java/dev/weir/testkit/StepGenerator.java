package dev.weir.testkit;

import dev.weir.testkit.Step.Kind;
import java.util.Arrays;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A generator of the steps of one history.
 *
 * @param period the longest period of a rate, in nanoseconds; pauses are drawn relative to it
 * @param keys how many keys there are
 * @param without the kinds of steps that it has not
 */
record StepGenerator(long period, int keys, Set<Kind> without) {
    private static final int COMMON_KEYS = 4;
    private static final int SUM_OF_WEIGHTS =
            Arrays.stream(Kind.values()).mapToInt(StepGenerator::weight).sum();

    private static int weight(Kind kind) {
        return switch (kind) {
            case TRY, RELEASE -> 30;
            case PASS -> 25;
            case ATTEMPT, ENQUEUE, SETTLE -> 10;
            case CANCELLED_ATTEMPT, CHANGE -> 8;
            case WAIT -> 6;
            case CALL -> 5;
            case DIAL -> 4;
            case FILL -> 3;
            case RELEASE_AGAIN, CHARGE, BACK, WATCH, PROBE -> 2;
        };
    }

    private static Kind kind(SplittableRandom random) {
        Kind[] all = Kind.values();
        int next = 0;
        for (int drawn = random.nextInt(SUM_OF_WEIGHTS); drawn >= weight(all[next]); next++) {
            drawn -= weight(all[next]);
        }
        return all[next];
    }

    Step draw(SplittableRandom random) {
        Kind kind = kind(random);
        if (without.contains(kind)) {
            kind = random.nextBoolean() ? Kind.TRY : Kind.CHANGE;
        }
        int key = random.nextInt(8) == 0
                ? -1
                : random.nextInt(random.nextInt(3) == 0 ? keys : Math.min(keys, COMMON_KEYS));
        int other = random.nextInt(1 << 16);
        return switch (kind) {
            case PASS -> new Step(kind, pause(random), key, other);
            case BACK -> new Step(kind, 1 + random.nextLong(period), key, other);
            case ENQUEUE ->
                new Step(kind, random.nextInt(4) > 0 ? 1 : 1 + random.nextInt(6), key, other >> random.nextInt(16));
            case DIAL -> new Step(kind, 1 + random.nextInt(random.nextBoolean() ? 6 : 12), key, other);
            default -> new Step(kind, random.nextInt(4) > 0 ? 1 : 1 + random.nextInt(6), key, other);
        };
    }

    private long pause(SplittableRandom random) {
        return switch (random.nextInt(6)) {
            case 0 -> 1;
            case 1 -> period;
            case 2 -> random.nextLong(2 * period);
            case 3 -> period / (1 + random.nextInt(10));
            case 4 -> Math.max(0, period * random.nextInt(1, 4) - 1);
            default -> random.nextLong(period / 4 + 1);
        };
    }
}
