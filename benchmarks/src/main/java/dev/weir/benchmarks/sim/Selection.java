package dev.weir.benchmarks.sim;

import dev.weir.benchmarks.sim.Suite.Round;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** The scenarios of a set, or of a file, that are run, and the contenders in them. */
final class Selection {
    private static final List<String> DRAWN = List.of("weir", "weir+fifo", "weir+queue", "Grad2Win", "Envoy");

    private final ScenarioSet set;
    private final Options options;
    private final List<Round> rounds;
    private final List<Contender> contenders;

    /** @throws IllegalArgumentException if nothing is selected */
    Selection(ScenarioSet set, Options options) {
        this.set = set;
        this.options = options;
        contenders = contenders(usual());
        rounds = asked();
        if (rounds.isEmpty()) {
            throw new IllegalArgumentException("--scenario must match one of " + names() + ", matched none");
        }
    }

    List<Round> rounds() {
        return rounds;
    }

    List<Contender> contenders() {
        return contenders;
    }

    /** Those that are drawn in a chart. */
    List<Contender> drawn() {
        if (options.oursAlone() || options.starts.size() > 1) {
            return contenders(options.ours());
        }
        return contenders(Contender.withPeers(options.ours()).stream()
                .filter(contender -> DRAWN.contains(contender.name()))
                .toList());
    }

    Scenario named(String name) {
        return scenarios(options.seeds.get(0)).stream()
                .filter(s -> s.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("--chart must be one of " + names() + ", was " + name));
    }

    String heading() {
        return "# " + set.label() + ": " + set.use() + "\n\n";
    }

    String file() {
        return set == ScenarioSet.SUITE ? "sim.json" : set.label() + ".json";
    }

    /** Only a whole set can be judged. */
    String bars(List<Result> results) {
        boolean whole = options.seeds.stream()
                .flatMap(seed -> scenarios(seed).stream())
                .map(Scenario::name)
                .allMatch(name ->
                        results.stream().anyMatch(result -> result.scenario().equals(name)));
        return options.scenarioFile != null || !whole ? "" : "\n## Bars\n\n" + Bars.of(set, results, options.clocks);
    }

    private List<Contender> usual() {
        boolean peers = set == ScenarioSet.SUITE || set == ScenarioSet.SERVICES;
        return peers && !options.oursAlone() ? Contender.withPeers(options.ours()) : options.ours();
    }

    private List<Contender> contenders(List<Contender> usual) {
        Predicate<String> wanted = options.algorithm;
        if (wanted == null) {
            return usual;
        }
        List<Contender> all = Contender.withPeers(options.ours());
        List<Contender> chosen = all.stream().filter(c -> wanted.test(c.name())).toList();
        if (chosen.isEmpty()) {
            throw new IllegalArgumentException("--algorithm must match one of "
                    + all.stream().map(Contender::name).toList() + ", matched none");
        }
        return chosen;
    }

    private List<Round> asked() {
        List<Round> asked = new ArrayList<>();
        int count = scenarios(options.seeds.get(0)).size();
        for (int i = 0; i < count; i++) {
            for (long seed : options.seeds) {
                Scenario scenario = scenarios(seed).get(i);
                if (options.scenario.test(scenario.name())) {
                    asked.add(new Round(scenario, seed));
                }
            }
        }
        return asked;
    }

    private List<Scenario> scenarios(long seed) {
        return options.scenarioFile != null ? read(options.scenarioFile) : set.of(seed);
    }

    private List<String> names() {
        return scenarios(options.seeds.get(0)).stream().map(Scenario::name).toList();
    }

    /* JSON: a scenario, or a list of them, each with its components by their names. */
    private static List<Scenario> read(Path file) {
        try {
            return parsed(Files.readString(file));
        } catch (IOException e) {
            throw new IllegalArgumentException("scenario file must be readable, was not: " + e, e);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    private static List<Scenario> parsed(String text) {
        List<Scenario> scenarios = text.stripLeading().startsWith("[")
                ? List.of(Json.read(text, Scenario[].class))
                : List.of(Json.read(text, Scenario.class));
        long names = scenarios.stream().map(Scenario::name).distinct().count();
        if (scenarios.isEmpty() || names < scenarios.size()) {
            throw new IllegalArgumentException("scenarios must be at least one, each with a name of its own, were "
                    + scenarios.stream().map(Scenario::name).toList());
        }
        return scenarios;
    }
}
