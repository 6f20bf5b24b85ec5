package dev.weir.benchmarks.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;
import dev.weir.adaptive.controller.Crest;
import dev.weir.testkit.Stress;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Long calls that hold workers and such that wait, for ten minutes each: the default controller says which they are. */
@Tag("proof")
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
        new Run(scenario, new Arrivals(scenario, seed), new Weir(heard, scenario, null, Weir.FIRST, 0), null).outcome();
        return heard.share();
    }

    /** One mix of each kind in a smoke run, else four. */
    private static List<String> mixes(String kind) {
        List<String> all = List.of(
                kind + "_5%_100x_load_2", kind + "_1%_20x_load_2", kind + "_1%_100x_load_2", kind + "_5%_20x_load_2");
        return all.subList(0, Stress.of(1, all.size(), all.size()));
    }

    static List<String> work() {
        return mixes("work");
    }

    static List<String> polls() {
        return mixes("wait");
    }

    @ParameterizedTest
    @MethodSource("work")
    void thoseThatHoldWorkersAreTold(String name) {
        double share = held(name, 1);
        assertTrue(share > 0.5, () -> share + " of the time");
    }

    @ParameterizedTest
    @MethodSource("polls")
    void thoseThatWaitAreNotTakenForSuch(String name) {
        assertEquals(0, held(name, 1));
    }
}
