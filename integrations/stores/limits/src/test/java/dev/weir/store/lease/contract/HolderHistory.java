package dev.weir.store.lease.contract;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What processes printed of the permits they held. Thread-safe. */
public final class HolderHistory {
    private record Turn(long token, long permits, long asked, long got) {}

    private record Edge(long at, long permits) {}

    private final Map<Long, Turn> turns = new ConcurrentHashMap<>();
    private final Map<Long, Long> ends = new ConcurrentHashMap<>();
    private final Map<Long, Boolean> lost = new ConcurrentHashMap<>();

    /** Nothing yet. */
    public HolderHistory() {}

    /** Reads until the process ends. */
    public void read(Process process) {
        Thread reader = new Thread(() -> {
            try {
                process.inputReader().lines().forEach(this::line);
            } catch (UncheckedIOException e) {
                // The process was killed, which closes the stream here too.
            }
        });
        reader.setDaemon(true);
        reader.start();
    }

    private void line(String line) {
        String[] words = line.split(" ");
        if (words[0].equals("granted") && words.length == 5) {
            Turn turn = new Turn(
                    Long.parseLong(words[1]),
                    Long.parseLong(words[2]),
                    Long.parseLong(words[3]),
                    Long.parseLong(words[4]));
            turns.put(turn.token(), turn);
        } else if (words[0].equals("ended") && words.length == 3) {
            ends.put(Long.parseLong(words[1]), Long.parseLong(words[2]));
        } else if (words[0].equals("lost")) {
            lost.put(Long.parseLong(words[1]), true);
        }
    }

    public int grants() {
        return turns.size();
    }

    public List<Long> tokens() {
        return turns.keySet().stream().sorted().toList();
    }

    public boolean isLost(long token) {
        return lost.containsKey(token);
    }

    /** At no moment more than this was surely held. What a process held when it was killed counts until it was granted only. */
    public void assertNeverAbove(long limit) {
        List<Edge> edges = new ArrayList<>();
        for (Turn turn : turns.values()) {
            Long end = ends.get(turn.token());
            if (end != null) {
                edges.add(new Edge(turn.got(), turn.permits()));
                edges.add(new Edge(end, -turn.permits()));
            }
        }
        edges.sort(Comparator.comparingLong(Edge::at).thenComparingLong(Edge::permits));
        long held = 0;
        for (Edge edge : edges) {
            held += edge.permits();
            assertTrue(held <= limit, "held at once: " + held);
        }
    }

    /** A grant that was asked for after another was received has the greater token. */
    public void assertTokensGrow() {
        List<Turn> byAsked = turns.values().stream()
                .sorted(Comparator.comparingLong(Turn::asked))
                .toList();
        List<Turn> byGot = turns.values().stream()
                .sorted(Comparator.comparingLong(Turn::got))
                .toList();
        long greatest = 0;
        int next = 0;
        for (Turn turn : byAsked) {
            for (; byGot.get(next).got() < turn.asked(); next++) {
                greatest = Math.max(greatest, byGot.get(next).token());
            }
            assertTrue(turn.token() > greatest, "token " + turn.token() + " after " + greatest);
        }
    }
}
