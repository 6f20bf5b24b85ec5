package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.spi.Registration;
import java.util.Objects;

/** A queue as those see it who only read it: meters, consoles, logs. Thread-safe. */
public interface QueueView {
    /** The name of the limiter. */
    String name();

    /** The number of requests that wait. Takes no lock. */
    int length();

    /** The figures of this instant. */
    QueueSnapshot snapshot();

    /** Notifies this observer of the end of each wait, until the registration is closed. */
    Registration observe(QueueObserver observer);

    /** A view for code that must not change the queue: no cast gives it, and the permits of its observers cannot be released. */
    static QueueView of(QueueView queue) {
        return new QueueView() {
            @Override
            public String name() {
                return queue.name();
            }

            @Override
            public int length() {
                return queue.length();
            }

            @Override
            public QueueSnapshot snapshot() {
                return queue.snapshot();
            }

            @Override
            public Registration observe(QueueObserver observer) {
                Objects.requireNonNull(observer, "observer");
                return queue.observe(new QueueObserver() {
                    @Override
                    public void onWaited(Request request, Decision decision, long waitedNanos) {
                        observer.onWaited(request, told(decision), waitedNanos);
                    }

                    @Override
                    public void onReconfigured() {
                        observer.onReconfigured();
                    }
                });
            }
        };
    }

    private static Decision told(Decision decision) {
        return decision instanceof Rejection
                ? decision
                : new Permit() {
                    @Override
                    public boolean release(Outcome outcome) {
                        return false;
                    }
                };
    }
}
