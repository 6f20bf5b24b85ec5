package dev.weir.queue;

import dev.weir.Rejection;
import dev.weir.Rejection.Reason;

/** The queue's own rejections, which carry the limit and the retry time of the gate's last one. Thread-safe. */
final class Rejections {
    private final String name;
    /* May name the limit and the retry time of a moment ago. */
    private volatile Rejection last;

    Rejections(String name) {
        this.name = name;
        last = new Rejection(name, Reason.CONCURRENCY, 0, 0);
    }

    Rejection last() {
        return last;
    }

    void last(Rejection refused) {
        if (last != refused) {
            last = refused;
        }
    }

    Rejection of(Reason reason) {
        Rejection gates = last;
        return new Rejection(name, reason, reason == Reason.CANCELLED ? 0 : gates.retryAfterNanos(), gates.limit());
    }
}
