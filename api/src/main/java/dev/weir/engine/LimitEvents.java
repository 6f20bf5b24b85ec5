package dev.weir.engine;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/** The changes of a limit of which observers are not told yet: told in their order, by one thread at a time. Thread-safe. */
final class LimitEvents {
    /*
     * Events are added under the lock of changes, so in the order of the changes, and told without it. A thread that finds
     * another one telling leaves its event to that one:
     *
     *     A                               B
     *     telling: false -> true
     *     finds no more events
     *                                     adds an event
     *                                     finds `telling`: leaves it
     *     telling := false
     *     finds an event: tells it
     *
     * So no change waits for observers of another one, and the last event is that of the limit in force.
     */
    private record Event(Instrumentation told, long from, long to, String why) {}

    private final Queue<Event> untold = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean telling = new AtomicBoolean();

    void add(Instrumentation told, long from, long to, String why) {
        untold.add(new Event(told, from, to, why));
    }

    void tell() {
        while (!untold.isEmpty() && telling.compareAndSet(false, true)) {
            try {
                for (Event event = untold.poll(); event != null; event = untold.poll()) {
                    event.told.limitChanged(event.from, event.to, event.why);
                }
            } finally {
                telling.set(false);
            }
        }
    }
}
