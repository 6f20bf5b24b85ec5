package dev.weir.adaptive;

import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The last adjustments of a limit, and the listeners to each. Thread-safe. */
final class AdjustmentLog {
    private static final int SIZE = 50;

    private final Deque<Adjustment> last = new ArrayDeque<>();
    private final InstantSource clock;
    private final List<Consumer<Adjustment>> listeners;
    private final AtomicLong failures;

    /** {@code failures} counts what listeners throw. */
    AdjustmentLog(InstantSource clock, List<Consumer<Adjustment>> listeners, AtomicLong failures) {
        this.clock = clock;
        this.listeners = List.copyOf(listeners);
        this.failures = failures;
    }

    /** Adds an adjustment; listeners are told if the controller made it. */
    void add(long from, long to, String why, @Nullable Window window) {
        Adjustment adjustment = new Adjustment(clock.instant(), from, to, why, window);
        synchronized (last) {
            last.addLast(adjustment);
            if (last.size() > SIZE) {
                last.removeFirst();
            }
        }
        for (Consumer<Adjustment> listener : window == null ? List.<Consumer<Adjustment>>of() : listeners) {
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
