package dev.weir.store.contract;

// #region store
import dev.weir.store.state.Replacement;
import dev.weir.store.state.StateStore;
import dev.weir.store.state.Stored;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A store in a map of this process. Thread-safe. */
final class MapStore implements StateStore, AutoCloseable {
    /** The server: its rows, the last version of any row, and its clock in microseconds. */
    record Server(ConcurrentMap<String, Row> rows, AtomicLong versions, LongSupplier micros) {
        Server(LongSupplier micros) {
            this(new ConcurrentHashMap<>(), new AtomicLong(), micros);
        }
    }

    /** {@code until}: the microsecond at which it has expired. */
    record Row(byte[] state, long version, long until) {}

    private final Server server;
    private volatile boolean closed;

    MapStore(Server server) {
        this.server = server;
    }

    @Override
    public CompletionStage<List<Stored>> read(List<String> names) {
        return answer(() -> names.stream().map(this::read).toList());
    }

    @Override
    public CompletionStage<List<Stored>> replace(List<Replacement> replacements) {
        return answer(() -> replacements.stream().map(this::replace).toList());
    }

    /** A store across a network sends the command here, and completes the stage when the answer comes. */
    private CompletionStage<List<Stored>> answer(Supplier<List<Stored>> command) {
        return closed
                ? CompletableFuture.failedFuture(new IllegalStateException("the store is closed"))
                : CompletableFuture.completedFuture(command.get());
    }

    /* The value first, then the clock: what is told was not replaced later than that. */
    private Stored read(String name) {
        Row row = server.rows().get(name);
        long now = server.micros().getAsLong();
        return told(live(row, now), now);
    }

    private static @Nullable Row live(@Nullable Row row, long now) {
        return row == null || row.until() <= now ? null : row;
    }

    private static Stored told(@Nullable Row row, long now) {
        return row == null ? Stored.absent(now) : Stored.present(row.state(), row.version(), now);
    }

    private Stored replace(Replacement next) {
        Stored[] answer = new Stored[1];
        server.rows().compute(next.name(), (name, row) -> {
            long now = server.micros().getAsLong();
            Row present = live(row, now);
            long version = present == null ? 0 : present.version();
            if (version != next.version() || now < next.atMicros()) {
                answer[0] = told(present, now);
                return present;
            }
            Row made = new Row(next.state(), server.versions().incrementAndGet(), now + next.ttlMicros());
            answer[0] = Stored.replaced(next, made.version(), now);
            return made;
        });
        return answer[0];
    }

    @Override
    public void close() {
        closed = true;
    }
}
// #endregion store
