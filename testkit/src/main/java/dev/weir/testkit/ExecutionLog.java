package dev.weir.testkit;

import dev.weir.Decision;
import dev.weir.Rejection;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The steps of an execution and the answers of the limiter, as text for a failure. Most executions are not recorded. */
final class ExecutionLog {
    private final @Nullable StringBuilder text;

    ExecutionLog(boolean isRecorded) {
        text = isRecorded ? new StringBuilder() : null;
    }

    void add(Supplier<String> what) {
        if (text != null) {
            text.append(what.get());
        }
    }

    void addAnswer(Decision decision) {
        add(() -> " -> " + text(decision));
    }

    static String text(Decision decision) {
        return decision instanceof Rejection rejection
                ? rejection.reason() + " " + rejection.retryAfterNanos()
                : "granted";
    }

    /** All that was recorded, or an empty text. */
    @Override
    public String toString() {
        return text == null ? "" : text.toString();
    }
}
