package dev.weir.jdbc;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.spi.StrategySpec;
import dev.weir.store.Reply;
import dev.weir.store.StoreLimit;
import dev.weir.store.rates.StateLimits;
import dev.weir.store.rates.StateRates;
import dev.weir.store.state.Operation;
import dev.weir.store.state.Replacement;
import dev.weir.store.state.StateLimit;
import dev.weir.store.state.StateStep;
import dev.weir.store.state.Stored;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;

/** A database and a store in it. */
record TestStore(Database database, JdbcStore store) implements AutoCloseable {
    static TestStore in(Database database) {
        return new TestStore(database, builder(database).build());
    }

    /** No test of a contract is so slow that it needs more time. */
    static JdbcStoreBuilder builder(Database database) {
        return JdbcStore.builder(database.source()).createTable().timeout(Duration.ofSeconds(5));
    }

    StoreLimit limit(String name, StrategySpec spec) {
        return StateLimit.of(store, name, StateRates.of(spec), StateLimits::text);
    }

    /** Reads a state, and replaces it by what an operation makes of it at this instant. */
    Reply step(StrategySpec spec, Operation operation, long permits, long grantedAt, String key, long micros) {
        Stored before = answer(store.read(List.of(key)));
        StateStep step = StateRates.of(spec).step(before.state(), operation, permits, grantedAt, micros);
        byte[] state = step.state();
        if (state != null) {
            Replacement next = new Replacement(key, before.version(), state, 0, Replacement.FOREVER);
            Stored after = answer(store.replace(List.of(next)));
            assertTrue(after.isReplaced(), after::toString);
        }
        return step.reply();
    }

    private static Stored answer(CompletionStage<List<Stored>> stage) {
        return stage.toCompletableFuture().join().get(0);
    }

    /** By the clock of the database. */
    void pass(Duration time) {
        long end = clock() + time.toNanos() / 1_000;
        while (clock() < end) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    private long clock() {
        return answer(store.read(List.of("clock"))).atMicros();
    }

    @Override
    public void close() {
        store.close();
        database.close();
    }
}
