package dev.weir.jdbc;

import dev.weir.store.state.Replacement;
import dev.weir.store.state.StateStore;
import dev.weir.store.state.Stored;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A store that does not compare: it replaces whatever is there. */
record BlindStore(StateStore store) implements StateStore {
    @Override
    public CompletionStage<List<Stored>> read(List<String> names) {
        return store.read(names);
    }

    @Override
    public CompletionStage<List<Stored>> replace(List<Replacement> replacements) {
        return read(replacements.stream().map(Replacement::name).toList()).thenCompose(present -> {
            List<Replacement> blind = new ArrayList<>();
            for (int i = 0; i < present.size(); i++) {
                Replacement one = replacements.get(i);
                blind.add(new Replacement(
                        one.name(), present.get(i).version(), one.state(), one.atMicros(), one.ttlMicros()));
            }
            return store.replace(blind);
        });
    }
}
