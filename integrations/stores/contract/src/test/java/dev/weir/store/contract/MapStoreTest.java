package dev.weir.store.contract;

// #region test
import dev.weir.store.state.StateStore;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;

class MapStoreTest extends StateStoreContract {
    private final VirtualTime time = new VirtualTime();
    private final MapStore.Server server = new MapStore.Server(() -> 1_000_000 + time.read() / 1_000);

    @Override
    protected StateStore open() {
        return new MapStore(server);
    }

    @Override
    protected boolean close(StateStore store) {
        ((MapStore) store).close();
        return true;
    }

    @Override
    protected void pass(Duration elapsed) {
        time.advance(elapsed);
    }
}
// #endregion test
