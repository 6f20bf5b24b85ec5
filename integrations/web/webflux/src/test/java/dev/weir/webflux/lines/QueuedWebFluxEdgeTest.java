package dev.weir.webflux.lines;

import dev.weir.queue.QueueSnapshot;
import org.junit.jupiter.api.Tag;

/** The contract of an edge, for requests that wait for their permits. */
@Tag("real-time")
class QueuedWebFluxEdgeTest extends WebFluxEdgeTest {
    @Override
    String settings() {
        return super.settings() + "\nqueue: { capacity: 100, max-wait: 1h }";
    }

    @Override
    protected int waiting() {
        QueueSnapshot queue = limiter.status().queue();
        return queue == null ? -1 : queue.length();
    }
}
