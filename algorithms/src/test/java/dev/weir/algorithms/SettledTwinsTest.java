package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.SettledHistory.Mode;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.testkit.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Conservation while the clock stands still: what is settled at once leaves the same account as if only that had been asked for, so
 * two limiters, of which one knew the costs before, give the same answers ever after, to the nanosecond.
 */
class SettledTwinsTest {
    private static final int STEPS = 9;

    private static final class Pair {
        final List<Mode> modes;
        final VirtualTime time = new VirtualTime();
        final ManagedLimiter settles;
        final ManagedLimiter knew;
        final List<String> steps = new ArrayList<>();
        private int inForce;
        private boolean isLimitSet;

        Pair(List<Mode> modes) {
            this.modes = modes;
            this.settles = Limiters.builder("settles", modes.get(0).spec())
                    .ticker(time)
                    .build();
            this.knew =
                    Limiters.builder("knew", modes.get(0).spec()).ticker(time).build();
        }

        private static Request costs(long cost) {
            return Request.forKey("k").settled(cost);
        }

        private static long wait(Decision decision) {
            return decision instanceof Rejection rejection ? Math.max(1, rejection.retryAfterNanos()) : 0;
        }

        private void alike(long cost) {
            steps.add("both acquire " + cost);
            long one = wait(settles.tryAcquire(costs(cost)));
            long other = wait(knew.tryAcquire(costs(cost)));
            assertEquals(other, one, () -> "by " + modes + "\n  after " + steps);
        }

        /* The other one asks for what it costs, or charges it. */
        private void settled(long estimate, long actual, boolean isCharged) {
            steps.add(estimate + " settled as " + actual + (isCharged ? ", charged" : ""));
            if (settles.tryAcquire(costs(estimate)) instanceof Permit permit) {
                assertTrue(permit.settle(actual));
                if (actual > 0 && (isCharged || !(knew.tryAcquire(costs(actual)) instanceof Permit))) {
                    assertTrue(knew.charge(costs(actual)));
                }
            }
        }

        private void pass(long nanos) {
            steps.add("pass " + nanos);
            time.advance(nanos);
        }

        private void setLimit() {
            isLimitSet = !isLimitSet;
            steps.add("set the limit");
            long limit = modes.get(inForce).limit() + (isLimitSet ? 1 : 0);
            settles.dial().setLimit(limit);
            knew.dial().setLimit(limit);
        }

        private void change() {
            inForce = (inForce + 1) % modes.size();
            isLimitSet = false;
            steps.add("change");
            settles.reconfigure(modes.get(inForce).spec());
            knew.reconfigure(modes.get(inForce).spec());
        }

        void take(int step) {
            switch (step) {
                case 0 -> settled(2, 0, false);
                case 1 -> settled(2, 1, false);
                case 2 -> settled(2, 1, true);
                case 3 -> settled(1, 2, false);
                case 4 -> settled(1, 4, false);
                case 5 -> alike(1);
                case 6 -> pass(1);
                case 7 -> setLimit();
                default -> change();
            }
        }

        void end() {
            for (int i = 0; i < 8; i++) {
                alike(1 + i % 2);
                pass(1);
            }
        }
    }

    static List<Mode> rates() {
        return SettledModes.rates();
    }

    @ParameterizedTest
    @MethodSource("rates")
    void whatIsSettledAtOnceIsAsIfItHadBeenKnown(Mode mode) {
        all(List.of(mode), STEPS - 1, SettledModelTest.DEPTH);
        for (Mode next : rates()) {
            all(List.of(mode, next), STEPS, SettledModelTest.DEPTH - 1);
        }
    }

    private static void all(List<Mode> modes, int alphabet, int depth) {
        SettledModes.forAllOrders(alphabet, depth, steps -> {
            Pair pair = new Pair(modes);
            for (int step : steps) {
                pair.take(step);
            }
            pair.end();
        });
    }
}
