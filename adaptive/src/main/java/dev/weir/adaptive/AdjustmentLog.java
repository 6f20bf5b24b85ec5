package dev.weir.adaptive;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** The last adjustments of a limit, and the listeners to each. Thread-safe. */
final class AdjustmentLog {
    private static final int SIZE = 16;

    private final Deque<Adjustment> last = new ArrayDeque<>();
    private final List<Consumer<Adjustment>> listeners;
    private final AtomicLong failures;

    /** {@code failures} counts what listeners throw. */
    AdjustmentLog(List<Consumer<Adjustment>> listeners, AtomicLong failures) {
        this.listeners = List.copyOf(listeners);
        this.failures = failures;
    }

    void add(Adjustment adjustment) {
        synchronized (last) {
            last.addLast(adjustment);
            if (last.size() > SIZE) {
                last.removeFirst();
            }
        }
        for (Consumer<Adjustment> listener : listeners) {
            try {
                listener.accept(adjustment);
            } catch (Throwable t) {
                failures.getAndIncrement();
            }
        }
    }

    /** The oldest first. */
    List<Adjustment> last() {
        synchronized (last) {
            return List.copyOf(last);
        }
    }
}
