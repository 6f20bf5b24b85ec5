package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.spi.Registration;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The view of an {@link AdmissionQueue} that executors use: a request waits without a thread, and a callback receives the
 * decision. A rejection is counted only when the caller says that it is final, since the caller may try again for the same task.
 * Thread-safe.
 */
public interface CallbackQueue {
    /** A place in the queue for one request. Thread-safe. */
    interface Place {
        /**
         * Takes the place in the queue.
         *
         * @param requestData what {@link CallbackQueue#requestData} returned for this request
         * @return null once it waits; by then the callback may have been called
         */
        @Nullable
        Rejection enter(long timeoutNanos, @Nullable Object requestData);

        /** Leaves the queue as {@code CANCELLED}. Otherwise the same as {@link #withdraw(Reason)}. */
        default boolean withdraw() {
            return withdraw(Reason.CANCELLED);
        }

        /**
         * Leaves the queue, refused for this reason; the callback is not called. False if a decision was made before, or it has
         * not entered.
         */
        boolean withdraw(Reason reason);

        /** The decision; null as long as it waits, or if it did not enter. */
        @Nullable
        Decision decision();
    }

    /** The time that a request waits: the shorter of {@code maxWait}, 0 if negative, and the request's deadline. */
    static long timeoutNanos(Request request, Duration maxWait) {
        long allowed = TimeUnit.NANOSECONDS.convert(Objects.requireNonNull(maxWait, "maxWait"));
        return Math.min(Math.max(0, allowed), request.deadlineNanos());
    }

    /** The name of the limiter. */
    String name();

    /** The data that the limiter records of a request that arrives now, on this thread; null if none. */
    @Nullable
    Object requestData();

    /**
     * Tries once, without waiting. A rejection is not counted.
     *
     * @param requestData what {@link #requestData} returned for this request
     * @return null if the request has to wait, and may: {@code timeoutNanos} is positive
     */
    @Nullable
    Decision tryAcquire(Request request, long timeoutNanos, @Nullable Object requestData);

    /**
     * Prepares a place for a request.
     *
     * @param callback receives the decision: a permit on the thread that grants it; must be quick
     */
    Place place(Request request, Consumer<Decision> callback);

    /** Counts a rejection that is final, and notifies observers of the end of the wait, if the request has waited. */
    void countRejection(Request request, Rejection rejection, @Nullable Place place);

    /** The callback of the oldest waiter that matches; the test must be quick and is called under the queue's lock. */
    @Nullable
    Consumer<Decision> oldest(Predicate<Consumer<Decision>> test);

    /** True if the queue would be full with this number of additional waiters. */
    boolean isFullWith(int more);

    /** Calls the listener whenever permits may be free again. */
    Registration whenCapacity(Runnable listener);

    /** The object of this type that all executors on the queue share, created on the first call. */
    <T> T shared(Class<T> type, Supplier<T> creation);
}
