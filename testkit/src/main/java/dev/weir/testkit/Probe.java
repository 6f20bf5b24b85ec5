package dev.weir.testkit;

import dev.weir.Request;
import dev.weir.testkit.Composition.Figures;

/** A check that a limiter does not refuse for too long, with requests of one weight and nothing in flight. */
final class Probe {
    private static final int MAX_AT_ONCE = 300;
    private static final int MAX_REJECTIONS = 300;
    private static final int ROUNDS = 12;

    private final Execution execution;
    private final Request request;

    Probe(Execution execution, Request request) {
        this.execution = execution;
        this.request = request;
    }

    /**
     * Both are asked until they refuse, and again after the shorter of the two waits or, if sparse, at other times. At
     * each of these instants the limiter has granted no fewer requests than the limits that were drained at the start, and
     * after the wait that it gave it grants.
     */
    void compare(DrainedLimits drained, int seed) {
        long[] byDrained = new long[ROUNDS];
        long[] at = new long[ROUNDS];
        boolean sparse = (seed & 1) != 0 && !execution.inForce().moves();
        long late = late(sparse);
        long granted = 0;
        boolean due = false;
        for (int round = 0; round < ROUNDS; round++) {
            at[round] = execution.now();
            byDrained[round] = round == 0 ? 0 : byDrained[round - 1];
            long answer = 0;
            for (int i = 0; answer == 0 && i < MAX_AT_ONCE; i++) {
                answer = drained.ask(request);
                byDrained[round] += answer == 0 ? 1 : 0;
            }
            long before = granted;
            while (granted - before < MAX_AT_ONCE && execution.isGranted(request)) {
                granted++;
            }
            if (granted - before == MAX_AT_ONCE || answer < 0 || answer == Long.MAX_VALUE) {
                return;
            }
            if (due && granted == before) {
                throw new Violation("not granted after the wait that was given");
            }
            int last = round;
            while (last > 0 && execution.now() - at[last] < late) {
                last--;
            }
            if (granted < byDrained[last]) {
                throw new Violation("granted " + granted + ", a drained one " + byDrained[last]);
            }
            boolean skips = sparse && granted >= byDrained[round] && (seed >> round & 2) != 0;
            long next = execution.lastWait() > 0 ? Math.min(answer, execution.lastWait()) : answer;
            long wait = !skips ? next : (seed >> round & 4) == 0 ? answer : answer / 3 + 1;
            due = wait == execution.lastWait()
                    && execution.inForce().exact()
                    && !execution.inForce().moves();
            execution.log().add(() -> " advance " + wait);
            execution.pass(wait);
        }
    }

    /* A limiter that is asked at other times may lose what refills at the end of a period. */
    private long late(boolean sparse) {
        long late = 0;
        for (Figures figures : execution.limits().rates()) {
            if (figures != null) {
                late = Math.max(late, figures.late() + (sparse ? figures.period() : 0));
            }
        }
        return late;
    }

    /** A limiter may cool down in between, but not while a caller waits for as long as it said. */
    void waitUntilGranted() {
        for (int rejections = 0; !execution.isGranted(request) && execution.lastWait() > 0; rejections++) {
            if (rejections == MAX_REJECTIONS) {
                throw new Violation("not granted after " + rejections + " waits that were given");
            }
            execution.pass(execution.lastWait());
        }
    }
}
