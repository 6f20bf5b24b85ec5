package dev.weir.queue;

import dev.weir.Decision;

/** Delivers the decision to a waiter that blocks no thread. Run by the queue's executor, it delivers the waiter's decision. */
interface Completion extends Runnable {
    /** Delivers a decision; a permit that nobody takes is released. */
    void deliver(Decision decision);

    /** Called where the caller gets an error instead: false if the caller of this has to release a permit. */
    boolean abandon();

    /** Whether the receiver counts a rejection, since it may try again, and takes a permit on the thread that grants it. */
    boolean isCountedByReceiver();
}
