package dev.weir.store.contract;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.Ticker;
import dev.weir.store.lease.LeaseStore;
import dev.weir.store.lease.StateLeases;
import dev.weir.store.state.Replacement;
import dev.weir.store.state.StateStore;
import dev.weir.store.state.Stored;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class MapStoreLeasesTest extends LeaseStoreContract {
    private final MapStore.Server server = new MapStore.Server(clock());

    private static LongSupplier clock() {
        long origin = Ticker.system().read();
        return () -> 1_700_000_000_000_000L + (Ticker.system().read() - origin) / 1_000;
    }

    @Override
    protected LeaseStore store() {
        return StateLeases.of(new MapStore(server));
    }

    /** A store that replaces whatever is there. */
    private record Blind(MapStore store) implements StateStore {
        @Override
        public CompletionStage<List<Stored>> read(List<String> names) {
            return store.read(names);
        }

        @Override
        public CompletionStage<List<Stored>> replace(List<Replacement> replacements) {
            return read(List.of(replacements.get(0).name())).thenCompose(present -> {
                Replacement one = replacements.get(0);
                return store.replace(List.of(new Replacement(
                        one.name(), present.get(0).version(), one.state(), one.atMicros(), one.ttlMicros())));
            });
        }
    }

    private static final class OnBlind extends LeaseStoreContract {
        private final MapStore.Server server = new MapStore.Server(clock());

        @Override
        protected LeaseStore store() {
            return StateLeases.of(new Blind(new MapStore(server)));
        }
    }

    @Test
    void R1_brokenTwin_aStoreThatIgnoresTheVersionIsFound() {
        assertThrows(AssertionError.class, () -> {
            try {
                new OnBlind().atMostTheLimitIsHeldByAllHoldersTogether();
            } catch (ExecutionException e) {
                throw e.getCause();
            }
        });
    }
}
