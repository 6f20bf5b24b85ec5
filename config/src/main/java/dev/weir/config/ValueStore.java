package dev.weir.config;

import dev.weir.config.document.Problem;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The values of the application. */
final class ValueStore {
    List<ConfigEvent.Difference> apply(Map<String, String> values, String version, Consumer<Problem> problems) {
        return List.of();
    }
}
