package dev.weir.named.backend;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.named.delivery.Delivery;
import dev.weir.named.status.ConfigEvent;
import dev.weir.named.status.TimedEvent;
import dev.weir.spi.Registration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** The last events of a registry, and its listeners to them. Thread-safe. */
public final class Events {
    private static final int SIZE = 200;
    /* A document may change a hundred thousand limits, and the next one too. */
    private static final int MAX_PARTS = 10_000;

    private final List<Delivery<ConfigEvent>> listeners = new CopyOnWriteArrayList<>();
    private final InstantSource clock;
    private final Executor executor;
    private final AtomicLong failures;
    private final Deque<TimedEvent> last = new ArrayDeque<>();

    @GuardedBy("last")
    private long parts;

    public Events(InstantSource clock, Executor executor, AtomicLong failures) {
        this.clock = clock;
        this.executor = executor;
        this.failures = failures;
    }

    public Registration add(Consumer<? super ConfigEvent> listener) {
        Delivery<ConfigEvent> added = Delivery.ofAll(listener, failures);
        listeners.add(added);
        return () -> {
            listeners.remove(added);
            added.close();
        };
    }

    public void tell(ConfigEvent event) {
        keep(new TimedEvent(clock.instant(), event));
        listeners.forEach(listener -> listener.add(event, executor));
    }

    private void keep(TimedEvent event) {
        synchronized (last) {
            last.addLast(event);
            parts += parts(event.event());
            while (last.size() > SIZE || (parts > MAX_PARTS && last.size() > 1)) {
                parts -= parts(last.removeFirst().event());
            }
        }
    }

    /* How many differences, problems and names it has. */
    private static int parts(ConfigEvent event) {
        if (event instanceof ConfigEvent.Changed changed) {
            return changed.differences().size() + changed.problems().size();
        }
        if (event instanceof ConfigEvent.Refused refused) {
            return refused.problems().size();
        }
        return event instanceof ConfigEvent.Orphaned orphaned ? orphaned.names().size() : 0;
    }

    /** The last ones, the oldest first. */
    public List<TimedEvent> last() {
        synchronized (last) {
            return List.copyOf(last);
        }
    }
}
