package dev.weir.reactor;

import dev.weir.Request;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import java.time.Duration;

/** The contract of an edge, for subscriptions that wait for their permits. */
class QueuedOperatorEdgeTest extends OperatorEdgeTest {
    private final AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(100));

    @Override
    WeirOperator<byte[]> operator() {
        return WeirOperator.of(queue, any -> Request.ONE, Duration.ofHours(1));
    }

    @Override
    protected int waiting() {
        return queue.length();
    }
}
