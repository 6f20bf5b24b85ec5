package dev.weir.adaptive.contract;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Broken controllers, each of which the contract must find out. */
@Tag("nightly")
class ControllerContractTest {
    private interface Rule {
        long next(Window window, long limit);
    }

    /** Evaluates each slice by a rule. */
    private record Ruled(Rule rule) implements Controller {
        @Override
        public boolean enough(Window window) {
            return true;
        }

        @Override
        public long next(Window window, long limit) {
            return rule.next(window, limit);
        }

        @Override
        public String why() {
            return "ruled";
        }
    }

    /** Never forgets the least latency it saw. */
    private static final class Unforgetting implements Controller {
        private final Map<String, Double> min = new HashMap<>(Map.of("least", 1e18));

        @Override
        public boolean enough(Window window) {
            return true;
        }

        @Override
        public long next(Window window, long limit) {
            double latency = window.latencies().mean();
            if (latency > 0 && window.hasDemand()) {
                min.merge("least", latency, Math::min);
                double scaled = limit * Math.max(0.5, Math.min(1.25 * min.get("least") / latency, 2));
                return (long) Math.max(1, Math.min(scaled + Math.sqrt(scaled), 1e6));
            }
            return limit;
        }

        @Override
        public String why() {
            return "unforgetting";
        }

        @Override
        public Map<String, Double> learned() {
            return Map.copyOf(min);
        }

        @Override
        public void restore(Map<String, Double> learned, double trust) {
            min.putAll(learned);
        }
    }

    private static ControllerContract contract(Supplier<Controller> twin) {
        return new ControllerContract() {
            @Override
            protected Controller controller() {
                return twin.get();
            }

            @Override
            protected double[] knee() {
                return new double[] {0.9, 2};
            }
        };
    }

    private static ControllerContract ruled(Rule rule) {
        return contract(() -> new Ruled(rule));
    }

    private static void findsOut(Runnable promise) {
        assertThrows(AssertionError.class, promise::run);
    }

    @Test
    void answersOfNothingAndExceptions() {
        findsOut(
                ruled((window, limit) -> window.completed() < 0 ? 0 : limit)
                        ::A1_A2_A3_noWindowMakesItThrowOrAnswerLessThanOne);
        findsOut(
                ruled((window, limit) -> Math.addExact(limit, Math.max(0, window.dropped())))
                        ::A1_A2_A3_noWindowMakesItThrowOrAnswerLessThanOne);
    }

    @Test
    void poison() {
        findsOut(contract(Unforgetting::new)::A2_whatItSuffersDoesNotPoisonIt);
        findsOut(contract(Unforgetting::new)::whatItNeverLearnedDoesNoHarm);
    }

    @Test
    void movesWithoutDemand() {
        findsOut(ruled((window, limit) -> window.dropped() == 0 ? limit + 1 : limit)::A4_aDayWithoutDemandMovesNothing);
        findsOut(ruled((window, limit) -> window.idle() ? limit - 1 : limit)::A4_aDayOfNothingMovesNothing);
    }

    @Test
    void deadlyFloorsAndEndlessGrowth() {
        findsOut(
                ruled((window, limit) -> window.dropped() > 0 ? Math.max(1, limit / 2) : limit)
                        ::A8_afterLosingEverythingItComesBack);
        findsOut(ruled((window, limit) -> window.hasDemand() ? limit + 1 : limit)::A8_itFindsTheKneeAndStaysThere);
    }

    @Test
    void pleasureInFailures() {
        findsOut(ruled((window, limit) -> window.ignored() > 0 ? limit + 1 : limit)::A9_fastFailuresNeverRaiseTheLimit);
    }

    @Test
    void whim() {
        AtomicLong asked = new AtomicLong();
        findsOut(ruled((window, limit) -> 1 + asked.incrementAndGet() % 3)::equalWindowsHaveEqualAnswers);
    }
}
