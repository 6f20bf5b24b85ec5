package dev.weir.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.store.state.Operation;
import dev.weir.store.state.StateRate;
import dev.weir.store.state.StateRate.Even;
import dev.weir.testkit.VirtualTime;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The store that the tests of the limiter use answers as any store with an even rate. */
class ModelStoreTest {
    private static final long PERMITS = 10;
    private static final long BURST = 25;
    private static final long SECOND = 1_000_000_000;
    private static final int STEPS = 2_000;

    private final VirtualTime time = new VirtualTime();
    private final ModelStore model = new ModelStore(time, PERMITS, SECOND, BURST);
    private final StateRate rate = StateRate.even(List.of(new Even(1, 100_000, BURST * 100_000, BURST, false, BURST)));
    private byte[] state;

    @Test
    void itAnswersAsTheArithmeticOfStates() {
        Random random = new Random(1);
        long start = time.read() / 1_000;
        for (int step = 0; step < STEPS; step++) {
            time.advance(random.nextInt(300_000) * 1_000L);
            Operation operation = Operation.values()[random.nextInt(3)];
            long permits = operation == Operation.CHARGE ? random.nextInt(50) - 30 : random.nextInt(30);
            var next = rate.step(state, operation, permits, 0, time.read() / 1_000 - start);
            state = next.state() == null ? state : next.state();
            String what = "step " + step + ": " + operation + " " + permits;
            Reply expected = next.reply();
            Reply answer = switch (operation) {
                case ACQUIRE -> model.acquire("k", permits);
                case ACQUIRE_UP_TO -> model.acquireUpTo("k", permits);
                default -> model.charge("k", permits);
            };
            assertEquals(expected.remaining(), answer.remaining(), what);
            assertEquals(expected.limit(), answer.limit(), what);
            assertEquals(expected.resetNanos(), answer.resetNanos(), what);
            if (operation != Operation.CHARGE) {
                assertEquals(expected.granted(), answer.granted(), what);
                assertEquals(permits == 0 ? 0 : expected.retryAfterNanos(), answer.retryAfterNanos(), what);
            }
        }
    }
}
