package dev.weir.config.value;

import dev.weir.config.document.Problem;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** A store, documents for it, and what it reports. */
final class StoredValues implements AutoCloseable {
    final List<String> reports = Collections.synchronizedList(new ArrayList<>());
    final ValueStore store;
    final ConfigValues values;
    private int version;

    StoredValues() {
        this(new Turns());
    }

    StoredValues(Turns turns) {
        store = new ValueStore(problem -> reports.add(shown(problem)), turns);
        values = new ConfigValues(store, Map.of());
    }

    private static String shown(Problem problem) {
        return problem.toString();
    }

    /** Applies a document, and returns the problems. */
    List<String> apply(Map<String, String> texts) {
        List<String> problems = new ArrayList<>();
        store.apply(texts, "v" + ++version, problem -> problems.add(shown(problem)));
        return problems;
    }

    @Override
    public void close() {
        store.close();
    }
}
