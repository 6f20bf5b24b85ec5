package dev.weir.benchmarks.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** The lines that are made of figures. */
class StoreTableTest {
    private static final Terms TERMS = new Terms(10_000, 1_000, Duration.ofSeconds(1));
    private static final StoreRow.Memory MEMORY = new StoreRow.Memory(100, Duration.ofSeconds(1_000), Duration.ZERO);

    /** Nothing is asked of it. */
    private static final class Silent implements Contender {
        @Override
        public CompletionStage<Boolean> tryAcquire(int key) {
            return new CompletableFuture<>();
        }

        @Override
        public void close() {}
    }

    private static Measured measured(String name, Place place, int load, double... perSecond) {
        StoreRow row = new StoreRow(name, "a " + name, TERMS, place, load, MEMORY, (uri, limit, terms) -> new Silent());
        Measured measured = new Measured(row, new Silent());
        for (double each : perSecond) {
            measured.add(new Turn.Figures(each, 18.64, 0.256, 0.01234, 1.5, each < 1_000 ? 0.5 : 0));
        }
        return measured;
    }

    @Test
    void ratiosAreOfTheSameRoundAndAllElseIsTheMedian() {
        Measured floor = measured("floor", Place.REDIS, 0, 100_000, 50_000, 200_000);
        Measured half = measured("half", Place.REDIS, 0, 50_000, 25_000, 20_000);
        half.memory(new KeyMemory(144.2, 168));
        List<Measured> rows = List.of(
                floor,
                half,
                measured("stuck", Place.REDIS, 0, 500, 500, 500),
                measured("far", Place.FAR, 5_000, 800, 1_200));
        assertEquals("""
                | `./weir bench store` | what | keys | decisions a second | of the floor | Redis, us | client, us | p50, ms | p99, ms | bytes of a key |
                |---|---|---|---|---|---|---|---|---|---|
                | `floor` | a floor | 10,000 | 100,000 | 1.00 | 18.6 | 0.26 | 0.0123 | 1.50 |  |
                | `half` | a half | 10,000 | 25,000 | 0.50 | 18.6 | 0.26 | 0.0123 | 1.50 | 144 / 168 |
                | `stuck` | a stuck; 50.0 % refused | 10,000 | 500 | 0.01 | 18.6 | 0.26 | 0.0123 | 1.50 |  |
                | `far` | a far; 1,000/s beside 5,000/s | 10,000 | 1,000 |  | 18.6 | 0.26 | 0.0123 | 1.50 |  |
                """, StoreTable.of(rows));
    }
}
