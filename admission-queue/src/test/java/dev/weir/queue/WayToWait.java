package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import java.time.Duration;

/** How a thread waits for permits. */
enum WayToWait {
    FOR_EVER((queue, request) -> queue.acquire(request, Duration.ofSeconds(Long.MAX_VALUE))),
    BY_DEFAULT(AdmissionQueue::acquire),
    TIMED((queue, request) -> queue.acquire(request, Duration.ofMinutes(1))),
    ASYNC((queue, request) ->
            queue.acquireAsync(request, Duration.ofSeconds(Long.MAX_VALUE)).get()),
    ASYNC_TIMED((queue, request) ->
            queue.acquireAsync(request, Duration.ofMinutes(1)).get());

    private interface Call {
        Decision of(AdmissionQueue queue, Request request) throws Exception;
    }

    private final Call call;

    WayToWait(Call call) {
        this.call = call;
    }

    /** Null if it got none. */
    Permit acquire(AdmissionQueue queue, Request request) throws Exception {
        return granted(call.of(queue, request));
    }

    static Permit granted(Decision decision) {
        return decision instanceof Permit permit ? permit : null;
    }
}
