package dev.weir.benchmarks;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;

/**
 * Ours beside the best peer and the floor. Where there is no peer, the floor stands for it.
 *
 * @param work what was done
 * @param threads by how many threads at once
 * @param ours our score
 * @param bestPeer the fastest peer's
 * @param floor the least it can cost
 */
record Comparison(String work, int threads, Score ours, Score bestPeer, Score floor) {
    static Comparison of(Row row, int threads, Collection<Score> scores) {
        Score floor = named(row.floor(), scores);
        Score bestPeer = scores.stream()
                .filter(score -> row.isPeer(score.method()))
                .min(Comparator.comparingDouble(Score::nanos))
                .orElse(floor);
        return new Comparison(row.work(), threads, named(row.ours(), scores), bestPeer, floor);
    }

    private static Score named(String method, Collection<Score> scores) {
        return scores.stream()
                .filter(score -> score.method().equals(method))
                .findAny()
                .orElseThrow();
    }

    double toPeer() {
        return ours.nanos() / bestPeer.nanos();
    }

    double toFloor() {
        return ours.nanos() / floor.nanos();
    }

    String json() {
        return String.format(
                Locale.ROOT,
                "{\"work\": \"%s\", \"threads\": %d, \"ours_ns\": %.2f, \"ours_bytes\": %.1f, \"best_peer\": \"%s\","
                        + " \"best_peer_ns\": %.2f, \"floor_ns\": %.2f, \"ratio_to_peer\": %.3f,"
                        + " \"ratio_to_floor\": %.3f}",
                work,
                threads,
                ours.nanos(),
                ours.bytes(),
                bestPeer.method(),
                bestPeer.nanos(),
                floor.nanos(),
                toPeer(),
                toFloor());
    }
}
