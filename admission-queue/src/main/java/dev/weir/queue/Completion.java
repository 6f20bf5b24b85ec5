package dev.weir.queue;

import dev.weir.Decision;

/**
 * The delivery of the decision to a waiter that blocks no thread. Run by the queue's executor, it delivers the waiter's decision.
 */
interface Completion extends Runnable {
    /** Delivers a decision; a permit that nobody takes is released. */
    void deliver(Decision decision);

    /**
     * Called if the request's caller gets an error instead of the decision. True if a permit that is granted is released, or
     * delivered, without more; false if the code that calls this method has to release it.
     */
    boolean abandon();

    /**
     * True if what receives the decision, such as an executor's task, counts a rejection, since it may try again, and takes
     * a permit on the thread that grants it.
     */
    boolean isCountedByReceiver();
}
