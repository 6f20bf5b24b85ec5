package dev.weir.adaptive.controller;

import static dev.weir.adaptive.contract.Windows.busy;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;
import dev.weir.adaptive.contract.ControllerContract;
import dev.weir.adaptive.warmup.Ramp;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MinTest extends ControllerContract {
    /** One of the two is Vegas. */
    @Override
    protected Set<Promise> broken() {
        return Set.of(Promise.DROPS_THAT_NO_LIMIT_CURES);
    }

    @Override
    protected Controller controller() {
        return Min.of(new EnvoyGradient(), new Vegas(), new CpuSwitch());
    }

    @Override
    protected Map<String, Double> signals(double use) {
        return Map.of("cpu", use / 2);
    }

    /** As its members. */
    @Override
    protected double[] knee() {
        return new double[] {0.9, 2};
    }

    /** Answers as told, and remembers what it was asked; a 0 throws. */
    private static final class Scripted implements Controller {
        final List<Long> limits = new ArrayList<>();
        final List<Window> windows = new ArrayList<>();
        private final String name;
        private final long needs;
        private final Deque<Long> answers = new ArrayDeque<>();
        private Map<String, Double> resumed = Map.of();

        Scripted(String name, long needs, long... script) {
            this.name = name;
            this.needs = needs;
            for (long answer : script) {
                answers.add(answer);
            }
        }

        @Override
        public boolean enough(Window window) {
            return window.completed() >= needs;
        }

        @Override
        public long next(Window window, long limit) {
            limits.add(limit);
            windows.add(window);
            long answer = answers.size() > 1 ? answers.remove() : answers.element();
            if (answer == 0) {
                throw new IllegalStateException("out of order");
            }
            return answer;
        }

        @Override
        public String why() {
            return name;
        }

        @Override
        public Map<String, Double> learned() {
            return Map.of("x", (double) needs);
        }

        @Override
        public void restore(Map<String, Double> learned, double trust) {
            resumed = learned;
        }
    }

    private static long next(Controller controller, long inForce) {
        return controller.next(busy(inForce, 10).build(), inForce);
    }

    @Test
    void theFirstLimitIsTheLeastOfTheMembersFirstLimits() {
        Min min = Min.of(Ramp.to(100, Duration.ofMinutes(1)), new Crest());
        assertEquals(Ramp.to(100, Duration.ofMinutes(1)).start(100), min.start(100));
        assertEquals(10, min.start(100));
    }

    @Test
    void theLeastBindsAndSaysWhy() {
        Controller min = Min.of(new Scripted("a", 1, 30, 10, 10), new Scripted("b", 1, 20, 20, 5));
        assertEquals(20, next(min, 40));
        assertEquals("b", min.why());
        assertEquals(10, next(min, 20));
        assertEquals("a", min.why());
        assertEquals(5, next(min, 10));
        assertEquals("b", min.why());
    }

    @Test
    void eachGoesOnFromItsOwnAnswer() {
        Scripted a = new Scripted("a", 1, 30, 25, 24);
        Scripted b = new Scripted("b", 1, 20, 19, 18);
        Controller min = Min.of(a, b);
        next(min, 40);
        next(min, 20);
        next(min, 19);
        assertEquals(List.of(40L, 30L, 25L), a.limits);
        assertEquals(List.of(40L, 20L, 19L), b.limits);
    }

    @Test
    void whoDoesNotBindMayFallButNotRise() {
        Scripted a = new Scripted("a", 1, 30, 60, 25, 90, 90);
        Scripted b = new Scripted("b", 1, 20, 20, 20, 50, 50);
        Controller min = Min.of(a, b);
        assertEquals(20, next(min, 40)); // 30 and 20
        assertEquals(20, next(min, 20)); // 60 is not granted
        assertEquals(20, next(min, 20)); // 25
        assertEquals(25, next(min, 20)); // 90 is not granted, 50 is
        assertEquals(50, next(min, 25)); // 90 is
        assertEquals(List.of(40L, 30L, 30L, 25L, 25L), a.limits);
        assertEquals("b", min.why());
    }

    @Test
    void whatWasPutInPlaceOfTheAnswerIsTheAnswerOfThoseWhoGaveIt() {
        Scripted a = new Scripted("a", 1, 30);
        Scripted b = new Scripted("b", 1, 20);
        Controller min = Min.of(a, b);
        next(min, 40);
        next(min, 15); // for 20
        next(min, 25); // for 20
        next(min, 35); // for 20
        assertEquals(List.of(40L, 15L, 25L, 35L), b.limits);
        assertEquals(List.of(40L, 30L, 30L, 35L), a.limits);
    }

    @Test
    void eachEvaluatesWhenItsWindowIsLongEnough() {
        Scripted quick = new Scripted("quick", 60, 30);
        Scripted slow = new Scripted("slow", 150, 20);
        Controller min = Min.of(quick, slow);
        assertFalse(min.enough(busy(40, 10).ended(59, 0, 0).build()));
        assertTrue(min.enough(busy(40, 10).build()));
        assertEquals(30, next(min, 40));
        assertEquals(30, next(min, 30));
        assertTrue(min.enough(busy(30, 10).ended(30, 0, 0).build())); // 60 + 60 + 30
        assertEquals(20, next(min, 30));
        assertEquals(3, quick.windows.size());
        assertEquals(1, slow.windows.size());
        assertEquals(180, slow.windows.get(0).completed());
        assertEquals(180, slow.windows.get(0).latencies().count());
    }

    @Test
    void whoThrowsKeepsItsLastAnswer() {
        Controller min = Min.of(new Scripted("a", 1, 10, 0, 12), new Scripted("b", 1, 30, 20, 8));
        assertEquals(10, next(min, 40));
        assertEquals(10, next(min, 10));
        assertEquals("a (members threw 1 times)", min.why());
        assertEquals(8, next(min, 10));
        assertEquals("b (members threw 1 times)", min.why());
    }

    @Test
    void whatIsLearnedIsKeptApart() {
        Scripted a = new Scripted("a", 7, 1);
        Scripted b = new Scripted("b", 8, 1);
        Controller min = Min.of(a, b);
        assertEquals(Map.of("0.x", 7.0, "1.x", 8.0), min.learned());
        min.restore(Map.of("0.x", 1.0, "1.y", 2.0, "y", 3.0), 1);
        assertEquals(Map.of("x", 1.0), a.resumed);
        assertEquals(Map.of("y", 2.0), b.resumed);
    }
}
