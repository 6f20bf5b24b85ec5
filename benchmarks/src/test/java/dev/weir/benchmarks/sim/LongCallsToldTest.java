package dev.weir.benchmarks.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;
import dev.weir.adaptive.controller.Crest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Long calls that hold workers and such that wait, for ten minutes each: the default controller says which they are. */
class LongCallsToldTest {
    private static final double SECONDS = 600;

    /** Says how often it holds that the long calls hold workers. */
    private static final class Heard implements Controller {
        private final Crest crest = new Crest();
        private int windows;
        private int held;

        @Override
        public long start(long limit) {
            return crest.start(limit);
        }

        @Override
        public boolean enough(Window window) {
            return crest.enough(window);
        }

        @Override
        public long next(Window window, long limit) {
            long next = crest.next(window, limit);
            windows++;
            held += crest.why().endsWith("they hold workers") ? 1 : 0;
            return next;
        }

        @Override
        public String why() {
            return crest.why();
        }

        private double share() {
            return (double) held / windows;
        }
    }

    private static double held(String name, long seed) {
        Scenario brief = ScenarioSet.MIXES.of(seed).stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow();
        Scenario scenario = new Scenario(
                name,
                SECONDS,
                brief.timeoutMillis(),
                brief.arrivals(),
                brief.mixes(),
                brief.cpu(),
                null,
                0,
                brief.classes(),
                brief.knee());
        Heard heard = new Heard();
        new Run(scenario, new Arrivals(scenario, seed), new Weir(heard, scenario, null, Weir.FIRST), null).outcome();
        return heard.share();
    }

    @ParameterizedTest
    @ValueSource(strings = {"work_1%_20x_load_2", "work_1%_100x_load_2", "work_5%_20x_load_2", "work_5%_100x_load_2"})
    void thoseThatHoldWorkersAreTold(String name) {
        double share = held(name, 1);
        assertTrue(share > 0.5, () -> share + " of the time");
    }

    @ParameterizedTest
    @ValueSource(strings = {"wait_1%_20x_load_2", "wait_1%_100x_load_2", "wait_5%_20x_load_2", "wait_5%_100x_load_2"})
    void thoseThatWaitAreNotTakenForSuch(String name) {
        assertEquals(0, held(name, 1));
    }
}
