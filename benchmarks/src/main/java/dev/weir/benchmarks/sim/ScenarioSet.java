package dev.weir.benchmarks.sim;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.LongFunction;

/** Scenarios that are judged together, and what they may be used for. */
enum ScenarioSet {
    SUITE("tuned on", Scenarios::all),
    SERVICES("reported on", Services::all),
    MIXES("reported on", seed -> Mixes.all()),
    VARIANTS("reported on", Variants::of),
    STRUCTURES("never looked at before a release: fresh seeds each time", Structures::of),
    FLEET("several instances before one server; reported on", Fleets::of),
    QUIET("a load that the server can do; reported on", Quiet::of),
    STARTS("the first minute; reported on", Starts::of),
    BURSTS("reported on", Bursts::of),
    CLIFFS("reported on", Cliffs::of);

    private final String use;
    private final LongFunction<List<Scenario>> scenarios;

    ScenarioSet(String use, LongFunction<List<Scenario>> scenarios) {
        this.use = use;
        this.scenarios = scenarios;
    }

    static ScenarioSet called(String name) {
        return Arrays.stream(values())
                .filter(set -> set.label().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("--set must be one of "
                        + Arrays.stream(values()).map(ScenarioSet::label).toList() + ", was " + name));
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    String use() {
        return use;
    }

    List<Scenario> of(long seed) {
        return scenarios.apply(seed);
    }
}
