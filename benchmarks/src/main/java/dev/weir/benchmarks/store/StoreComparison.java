package dev.weir.benchmarks.store;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Decisions a second, their latency, what they cost the server, and the bytes of a key, of Weir and its peers, by one Redis that is
 * started for it. All rows take turns, in another order each round.
 */
public final class StoreComparison {
    private static final int WARM_UP = 2;
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int IDLE_COMMANDS = 50;

    private final StoreOptions options;
    private final PrintStream progress;

    private StoreComparison(StoreOptions options, PrintStream progress) {
        this.options = options;
        this.progress = progress;
    }

    /** Exits with 0, or 2 if the arguments are wrong. */
    public static void main(String... args) throws IOException, InterruptedException {
        System.exit(run(System.out, System.err, args));
    }

    static int run(PrintStream out, PrintStream err, String... args) throws IOException, InterruptedException {
        StoreOptions options;
        try {
            options = StoreOptions.of(args);
        } catch (IllegalArgumentException e) {
            err.println("bench store: " + e.getMessage());
            return 2;
        }
        String table = new StoreComparison(options, err).table();
        out.print(table);
        if (options.report() != null) {
            String command = ("./weir bench store " + String.join(" ", args)).strip();
            Files.writeString(options.report(), StorePage.of(command, options, table));
            err.println("wrote " + options.report());
        }
        return 0;
    }

    private String table() throws InterruptedException {
        List<Measured> rows = new ArrayList<>();
        try (Stores stores = new Stores()) {
            try {
                start(rows, stores);
                measure(rows, stores.redis());
            } finally {
                rows.forEach(Measured::close);
            }
            memory(rows, stores);
        }
        return StoreTable.of(rows);
    }

    private void start(List<Measured> rows, Stores stores) {
        for (StoreRow row : StoreRows.all(options.keys())) {
            if (!stores.has(row.place())) {
                progress.println("without " + row.name() + ": this machine has no PostgreSQL");
            } else if (rows.isEmpty() || options.has(row)) {
                rows.add(new Measured(row, row.starter().start(stores.uri(row.place()), row.name(), row.terms())));
            }
        }
    }

    private void measure(List<Measured> rows, RedisFigures figures) throws InterruptedException {
        Turn turn = new Turn(figures, TimeUnit.MILLISECONDS.toNanos(options.millis()));
        List<Measured> order = new ArrayList<>(rows);
        Random random = new Random(20_261_126);
        for (int round = -WARM_UP; round < options.turns(); round++) {
            Collections.shuffle(order, random);
            for (Measured each : order) {
                int keys = each.row().terms().keys();
                long settles = options.pauses() ? each.contender().settles().toNanos() : 0;
                Turn.Figures measured = each.row().isFar()
                        ? turn.steady(each.contender(), keys, each.row().load())
                        : turn.full(each.contender(), keys, settles);
                if (round >= 0) {
                    each.add(measured);
                }
                awaitIdle(figures, settles);
            }
            progress.println("round " + (round + WARM_UP + 1) + " of " + (WARM_UP + options.turns()));
        }
    }

    /* What a contender sends after its last answer is not a cost of the next one. */
    private static void awaitIdle(RedisFigures figures, long settles) {
        long begin = System.nanoTime();
        long before;
        long after = figures.commands();
        do {
            before = after;
            LockSupport.parkNanos(IDLE_NANOS);
            after = figures.commands();
        } while (after - before > IDLE_COMMANDS || System.nanoTime() - begin < settles);
    }

    private void memory(List<Measured> rows, Stores stores) throws InterruptedException {
        for (Measured each : rows) {
            StoreRow.Memory memory = each.row().memory();
            if (memory != null) {
                Place place = each.row().place();
                each.memory(
                        KeyMemory.of(each.row(), memory, stores.uri(place), stores.memory(place), options.pauses()));
                progress.println("memory of " + each.row().name());
            }
        }
    }
}
