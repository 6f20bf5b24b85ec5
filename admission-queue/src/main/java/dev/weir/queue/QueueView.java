package dev.weir.queue;

import dev.weir.spi.Registration;

/** A queue as those see it who only read it: meters, consoles, logs. Thread-safe. */
public interface QueueView {
    /** The name of the limiter. */
    String name();

    /** The figures of this instant. */
    QueueSnapshot snapshot();

    /** Notifies this observer of the end of each wait, until the registration is closed. */
    Registration observe(QueueObserver observer);
}
