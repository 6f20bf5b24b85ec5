package dev.weir.benchmarks.sim;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Scenarios in JSON: one, or a list of them, each with the components of {@link Scenario} by their names. */
final class ScenarioFile {
    private ScenarioFile() {}

    /** @throws IllegalArgumentException saying which file, what and where */
    static List<Scenario> read(Path file) {
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
