package dev.weir.named.recorder;

import dev.weir.named.recorder.RecordedLoad.KeyShare;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Draws the keys of requests by the shares that the heaviest had at that time. A request of none of them has one of many others. Asked
 * for slices in ascending order, by one thread.
 */
final class KeyDraw {
    private static final long SECOND = 1_000_000_000;
    private static final int OTHERS = 1_000;

    private final RecordedLoad load;
    private final double tail;
    private final Map<Object, String> names = new HashMap<>();
    private long second = -1;
    private String[] drawn = new String[0];
    /* The sum of the weights up to each of the drawn. */
    private long[] upTo = new long[0];
    private long all = 1;
    private long others;

    KeyDraw(RecordedLoad load) {
        this.load = load;
        tail = tail(load);
    }

    /** The share of the requests, 0 to 1, that have none of the heaviest keys. */
    static double tail(RecordedLoad load) {
        long known = load.keys().stream()
                .flatMap(List::stream)
                .mapToLong(KeyShare::requests)
                .sum();
        long requests = load.requests();
        return requests == 0 ? 0 : Math.max(0, requests - known) / (double) requests;
    }

    String at(int slice, SplittableRandom random) {
        long at = slice * load.sliceNanos() / SECOND;
        if (at != second) {
            second = at;
            weigh();
        }
        long chosen = random.nextLong(all);
        for (int i = 0; i < drawn.length; i++) {
            if (chosen < upTo[i]) {
                return drawn[i];
            }
        }
        return "other-" + others++ % OTHERS;
    }

    private void weigh() {
        List<KeyShare> weights = second < load.keys().size() ? load.keys().get((int) second) : List.of();
        drawn = new String[weights.size()];
        upTo = new long[weights.size()];
        int i = 0;
        long sum = 0;
        for (KeyShare each : weights) {
            sum += each.requests();
            drawn[i] = names.computeIfAbsent(each.key(), any -> "key-" + names.size());
            upTo[i++] = sum;
        }
        all = Math.max(1, tail == 1 ? 1 : sum + (long) (sum * tail / (1 - tail)));
    }
}
