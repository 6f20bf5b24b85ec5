package dev.weir.benchmarks.sim;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Compares our limit with its peers, and both with the best that can be had, in simulated services. */
public final class Sim {
    private final Options options;
    private final PrintStream out;
    private final PrintStream progress;

    private Sim(Options options, PrintStream out, PrintStream progress) {
        this.options = options;
        this.out = out;
        this.progress = progress;
    }

    /** Exits with 0, or 2 if the arguments are wrong. */
    public static void main(String... args) throws IOException {
        System.exit(run(System.out, System.err, args));
    }

    static int run(PrintStream out, PrintStream err, String... args) throws IOException {
        try {
            Options options = Options.of(args);
            if (options.help) {
                out.print(text("sim-help.txt"));
            } else {
                new Sim(options, out, err).compare(String.join(" ", args));
            }
            return 0;
        } catch (IllegalArgumentException e) {
            err.println("sim: " + e.getMessage());
            err.println("./weir sim --help says what there is");
            return 2;
        }
    }

    /* Kept as files, so that the script can print them without a build. */
    private static String text(String name) throws IOException {
        try (InputStream in = Sim.class.getResourceAsStream("/" + name)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private void compare(String asked) throws IOException {
        if (options.chart != null) {
            draw(options.chart);
            return;
        }
        StringBuilder tables = new StringBuilder();
        List<Result> all = new ArrayList<>();
        List<Selection> selections = selections();
        Oracles oracles = Oracles.in(options.oracles);
        for (Selection selection : selections) {
            List<Result> results =
                    new Suite(selection.contenders(), oracles, progress).run(selection.rounds(), options.threads);
            oracles.write();
            String heading = options.sets.size() == 1 ? "" : selection.heading();
            String tablesOfIt = heading + new Report(results).markdown() + selection.bars(results);
            out.print(tablesOfIt);
            tables.append(tables.isEmpty() ? "" : "\n").append(tablesOfIt);
            write(options.out.resolve(selection.file()), new Report(results).json());
            all.addAll(results);
        }
        if (options.csv != null) {
            write(options.csv, new Report(all).csv());
        }
        if (options.report != null) {
            String command = ("./weir sim " + asked).strip();
            write(options.report, String.format(text("sim-introduction.md"), command) + tables);
        }
    }

    /* All of them before the first runs, so that what is wrong is said at once. */
    private List<Selection> selections() {
        return options.sets.stream().map(set -> new Selection(set, options)).toList();
    }

    private void write(Path file, String text) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null) {
            Files.createDirectories(directory);
        }
        Files.writeString(file, text);
        progress.println("wrote " + file);
    }

    private void draw(String name) throws IOException {
        long seed = options.seeds.get(0);
        Selection selection = selections().get(0);
        Scenario scenario = selection.named(name);
        String file = "sim-" + name.replaceAll("[^A-Za-z0-9._%-]", "_");
        Picture.of(scenario, seed, selection.drawn()).write(options.out, file);
        progress.println("wrote " + options.out.resolve(file) + ".svg and .png");
    }
}
