package dev.weir.testkit;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A history that shows a violation, made as short as it is found to go. */
final class FailingHistory {
    private History history;
    private Violation violation;

    FailingHistory(History history, Violation violation) {
        this.history = history;
        this.violation = violation;
    }

    /** Leaves out steps, first half of them at a time and at last one, as long as there is a violation. */
    FailingHistory shrink() {
        for (int size = history.steps().size() / 2; size > 0; size = size == 1 ? 0 : size / 2) {
            for (int from = 0; from < history.steps().size(); ) {
                List<Step> fewer = new ArrayList<>(history.steps());
                fewer.subList(from, Math.min(from + size, fewer.size())).clear();
                if (!isStillFailing(history.with(fewer))) {
                    from += size;
                }
            }
        }
        return this;
    }

    private boolean isStillFailing(History shorter) {
        Violation found = run(shorter, new ExecutionLog(false));
        if (found != null) {
            history = shorter;
            violation = found;
        }
        return found != null;
    }

    private static @Nullable Violation run(History history, ExecutionLog log) {
        return new Execution(history, log).run();
    }

    /** The report: the violation, and the steps with their answers. */
    AssertionError error() {
        ExecutionLog log = new ExecutionLog(true);
        run(history, log);
        return new AssertionError(violation.getMessage() + history + log, violation);
    }
}
