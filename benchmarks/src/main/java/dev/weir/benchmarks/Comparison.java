package dev.weir.benchmarks;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;

/**
 * Ours beside the best peer and the floor. Where there is no peer, the floor stands for it.
 *
 * @param work what was done
 * @param threads by how many threads at once
 * @param isByCpu whether CPU time is compared, and not the time that passed
 * @param ours our score
 * @param bestPeer the fastest peer's
 * @param floor the least it can cost
 */
record Comparison(String work, int threads, boolean isByCpu, Score ours, Score bestPeer, Score floor) {
    static Comparison of(Row row, int threads, Collection<Score> scores) {
        boolean isByCpu = row.isByCpu(threads);
        Score floor = named(row.floor(), scores);
        Score bestPeer = scores.stream()
                .filter(score -> row.isPeer(score.method()))
                .min(Comparator.comparingDouble(score -> nanos(score, isByCpu)))
                .orElse(floor);
        return new Comparison(row.work(), threads, isByCpu, named(row.ours(), scores), bestPeer, floor);
    }

    private static Score named(String method, Collection<Score> scores) {
        return scores.stream()
                .filter(score -> score.method().equals(method))
                .findAny()
                .orElseThrow();
    }

    private static double nanos(Score score, boolean isByCpu) {
        return isByCpu ? score.cpu() : score.wall();
    }

    /** The figure of ours, of the best peer or of the floor. */
    double nanos(Score score) {
        return nanos(score, isByCpu);
    }

    double toPeer() {
        return nanos(ours) / nanos(bestPeer);
    }

    double toFloor() {
        return nanos(ours) / nanos(floor);
    }

    String json() {
        return String.format(
                Locale.ROOT,
                "{\"work\": \"%s\", \"threads\": %d, \"by\": \"%s\", \"ours_ns\": %.2f, \"ours_bytes\": %.1f, \"best_peer\": \"%s\","
                        + " \"best_peer_ns\": %.2f, \"floor_ns\": %.2f, \"ratio_to_peer\": %.3f,"
                        + " \"ratio_to_floor\": %.3f}",
                work,
                threads,
                isByCpu ? "cpu" : "wall",
                nanos(ours),
                ours.bytes(),
                bestPeer.method(),
                nanos(bestPeer),
                nanos(floor),
                toPeer(),
                toFloor());
    }
}
