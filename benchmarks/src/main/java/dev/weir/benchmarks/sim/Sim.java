package dev.weir.benchmarks.sim;

import dev.weir.benchmarks.sim.Suite.Round;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Compares our limit with its peers, and both with the best that can be had, in simulated services. */
public final class Sim {
    private static final String USAGE = """
            ./weir sim [options]: ours beside the peers in simulated services, against the best fixed or clairvoyant limit
              --seed 1,2,3           the seeds (default 1,2,3)
              --scenario regex       only the scenarios in whose name it is found
              --algorithm regex      only the algorithms in whose name it is found, or that are called so
              --scenario-file file   scenarios from JSON instead of the 22 built in: one, or a list; for the format see
                                     benchmarks/src/main/resources/scenarios.json
              --set name             suite (default): the 22 scenarios that ours is tuned on
                                     services: 23 that it is reported on: long calls, limits below, outages, neighbours
                                     mixes: 36 of few long calls among short ones
                                     variants: the 22 rescaled, 66 for each seed
                                     structures: 24 services drawn at random for each seed; nobody looks at a seed
                                     before a release
                                     the last three with ours alone unless --algorithm is given
              --start 1,8,200        the limits ours begins with (default 8); of several, each is in the name: weir@200
              --chart scenario       also draws its limit, in flight and goodput over time with the first seed, as SVG
                                     and PNG; of ours, Grad2Win and Envoy unless --algorithm is given
              --report file          also writes the tables to this file
              --out dir              where sim.json (variants.json) and charts go (default benchmarks/target)
              --threads n            as many rounds at a time (default: the processors); changes no result
            Goodput is what was served in time; its ratio is to the oracle's. The p99 ratio is that of all that was let in
            to that of the same requests alone on an idle server. Paths are relative to the project's root.
            """;
    private static final String INTRODUCTION = """
            # Ours beside the peers

            `%s` writes this.

            The requests of a scenario are drawn before anything runs, so all algorithms are asked for the same; a refusal costs
            nothing. Goodput is what was served before its caller gave up. Its ratio is to the oracle's: the best of the fixed
            limits from 1 to 1500, and where the server changes, of those that follow what it can use. The p99 is over all that
            was let in, late or still inside at the end included; its ratio is to that of the same requests alone on an idle
            server. A cell is the geometric mean over the seeds, the worst is the least of any scenario and seed.

            `weir` is the default controller as it comes. `weir+queue` has an adaptive LIFO queue before it, in which half of
            the caller's patience may be spent. The peers have their defaults: Netflix's limits are the library's own, the
            others are made again from their published formulas.

            """;
    private static final List<String> DRAWN = List.of("weir", "weir+queue", "Grad2Win", "Envoy");

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
                out.print(USAGE);
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

    private void compare(String asked) throws IOException {
        List<Contender> contenders = contenders(usual());
        List<Round> rounds = rounds();
        if (options.chart != null) {
            draw(options.chart);
        }
        List<Result> results = new Suite(contenders, progress).run(rounds, options.threads);
        String tables = new Report(results).markdown() + bars(results);
        out.print(tables);
        write(
                options.out.resolve(options.set == ScenarioSet.SUITE ? "sim.json" : options.set.label() + ".json"),
                new Report(results).json());
        if (options.report != null) {
            String command = ("./weir sim " + asked).strip();
            write(options.report, String.format(INTRODUCTION, command) + tables);
        }
    }

    private void write(Path file, String text) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null) {
            Files.createDirectories(directory);
        }
        Files.writeString(file, text);
        progress.println("wrote " + file);
    }

    private List<Contender> ours() {
        return Contender.ours(options.starts);
    }

    /* What has many scenarios is run with ours alone, unless somebody asks. */
    private List<Contender> usual() {
        return switch (options.set) {
            case SUITE, SERVICES -> Contender.all(ours());
            case MIXES, VARIANTS, STRUCTURES -> ours();
        };
    }

    private List<Contender> contenders(List<Contender> usual) {
        Predicate<String> wanted = options.algorithm;
        if (wanted == null) {
            return usual;
        }
        List<Contender> chosen = Contender.all(ours()).stream()
                .filter(c -> wanted.test(c.name()))
                .toList();
        if (chosen.isEmpty()) {
            throw new IllegalArgumentException("--algorithm must match one of "
                    + Contender.all(ours()).stream().map(Contender::name).toList() + ", matched none");
        }
        return chosen;
    }

    private List<Round> rounds() {
        List<Round> rounds = new ArrayList<>();
        int count = scenarios(options.seeds.get(0)).size();
        for (int i = 0; i < count; i++) {
            for (long seed : options.seeds) {
                Scenario scenario = scenarios(seed).get(i);
                if (options.scenario.test(scenario.name())) {
                    rounds.add(new Round(scenario, seed));
                }
            }
        }
        if (rounds.isEmpty()) {
            throw new IllegalArgumentException("--scenario must match one of " + names() + ", matched none");
        }
        return rounds;
    }

    private List<Scenario> scenarios(long seed) {
        if (options.scenarioFile != null) {
            return ScenarioFile.read(options.scenarioFile);
        }
        return options.set.of(seed);
    }

    private List<String> names() {
        return scenarios(options.seeds.get(0)).stream().map(Scenario::name).toList();
    }

    private void draw(String name) throws IOException {
        long seed = options.seeds.get(0);
        Scenario scenario = scenarios(seed).stream()
                .filter(s -> s.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("--chart must be one of " + names() + ", was " + name));
        List<Contender> usual = Contender.all(ours()).stream()
                .filter(c -> DRAWN.contains(c.name().split("@")[0]))
                .toList();
        String file = "sim-" + name.replaceAll("[^A-Za-z0-9._-]", "_");
        Picture.of(scenario, seed, contenders(usual)).write(options.out, file);
        progress.println("wrote " + options.out.resolve(file) + ".svg and .png");
    }

    /* Only the whole suite can be judged. */
    private String bars(List<Result> results) {
        long judged = results.stream().map(Result::scenario).distinct().count();
        if (options.scenarioFile != null
                || judged < scenarios(options.seeds.get(0)).size()) {
            return "";
        }
        return "\n## Bars\n\n" + Bars.of(options.set, results);
    }
}
