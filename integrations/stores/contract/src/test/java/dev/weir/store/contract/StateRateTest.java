package dev.weir.store.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.spi.StrategySpec;
import dev.weir.store.Reply;
import dev.weir.store.state.Operation;
import dev.weir.testkit.Stress;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The arithmetic in Java answers as the models do. */
class StateRateTest extends RateContract {
    private static final int STEPS = 100;

    /* A window that has ended forgets by how much its time is ahead of a clock that went back, and the model never does. */
    private final States states = new States(Duration.ofDays(1).toMillis() * 1_000);

    @Override
    protected Reply step(
            StrategySpec spec, Operation operation, long permits, long grantedAt, String key, long micros) {
        return states.step(spec, operation, permits, grantedAt, key, micros);
    }

    @Test
    @Tag("proof")
    void D3_aStateIsNotNeededAfterItsTimeToLive() {
        Stress.seconds(0.5, 5, 50).forAll(1, random -> Specs.all().forEach(spec -> compareEnded(spec, random)));
    }

    private static void compareEnded(StrategySpec spec, SplittableRandom random) {
        States ending = new States(0);
        States kept = new States(Duration.ofDays(1).toMillis() * 1_000);
        long now = START;
        for (int step = 0; step < STEPS; step++) {
            now += random.nextLong(1 + Specs.period(spec) * (random.nextInt(4) == 0 ? 4 : 1) / 3);
            Operation operation = Operation.values()[random.nextInt(3)];
            long permits = random.nextLong(1 + Model.of(spec).largest());
            Reply expected = kept.step(spec, operation, permits, 0, "k", now);
            assertEquals(expected, ending.step(spec, operation, permits, 0, "k", now), spec + " step " + step);
        }
    }
}
