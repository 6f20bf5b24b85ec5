package dev.weir.config.value;

import dev.weir.Ticker;
import dev.weir.named.plan.Problem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** A store, documents for it, and what it reports. */
final class StoredValues implements AutoCloseable {
    final List<String> reports = Collections.synchronizedList(new ArrayList<>());
    final ValueStore store;
    final ConfigValues values;
    private final AtomicInteger version = new AtomicInteger();

    StoredValues() {
        store = new ValueStore(problem -> reports.add(shown(problem)));
        values = new ConfigValues(store, Map.of());
    }

    StoredValues(Ticker ticker, Duration limit) {
        store = new ValueStore(problem -> reports.add(shown(problem)), ticker, limit);
        values = new ConfigValues(store, Map.of());
    }

    private static String shown(Problem problem) {
        return problem.toString();
    }

    /** Applies a document, and returns the problems. */
    List<String> apply(Map<String, String> texts) {
        List<String> problems = new ArrayList<>();
        store.apply(texts, "v" + (version.get() + 1), problem -> problems.add(shown(problem)));
        version.getAndIncrement();
        return problems;
    }

    /** How many documents were applied. */
    int applied() {
        return version.get();
    }

    @Override
    public void close() {
        store.close();
    }
}
