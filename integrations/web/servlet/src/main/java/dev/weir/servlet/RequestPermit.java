package dev.weir.servlet;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.http.HttpOutcome;
import dev.weir.http.HttpRejection;
import dev.weir.spi.Registration;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The permit of one request, released once, at the first of the events that can end it.
 *
 * <pre>
 *   chain throws -------------------------------------+
 *   chain returns, the request is not asynchronous ---+
 *   onComplete ---------------------------------------+--> one CAS --> permit.release
 *   onError with an IOException: the client is gone --+
 *   the bound of time, of which the filter tells -----+
 *
 *   onTimeout, other onError: onComplete follows, and only the outcome is kept
 * </pre>
 *
 * <p>A container may call several of these for one request, on several threads, or after a disconnect none of them. What is called
 * before the release is guarded, so that nothing which throws can lose the permit.
 */
final class RequestPermit implements AsyncListener {
    private final WeirFilter filter;
    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private final AtomicBoolean released = new AtomicBoolean();
    private final AtomicInteger dispatches = new AtomicInteger();
    /* Asynchronous answers that dispatches have begun. */
    private final AtomicInteger answers = new AtomicInteger();
    /* Set once, before another thread can see this. */
    private @Nullable Permit permit;
    /* The chain has begun an asynchronous answer, and this listens. */
    private volatile boolean listens;
    private volatile @Nullable Outcome outcome;
    private volatile @Nullable Registration bound;

    RequestPermit(WeirFilter filter, HttpServletRequest request, HttpServletResponse response) {
        this.filter = filter;
        this.request = request;
        this.response = response;
    }

    void hold(Permit granted) {
        permit = granted;
    }

    AsyncContext listeningTo(AsyncContext async) {
        try {
            async.addListener(this);
            listens = true;
        } catch (IllegalStateException e) {
            release(ended()); // it has completed already
        }
        return async;
    }

    void returned() {
        long timeoutMillis = 0;
        try {
            if (request.isAsyncStarted()) {
                AsyncContext async = request.getAsyncContext();
                if (!listens) {
                    listeningTo(async); // begun on another request than the one that was given to the chain
                }
                timeoutMillis = async.getTimeout();
            }
        } catch (RuntimeException completing) {
            timeoutMillis = 0; // not known: another thread has completed it since
        }
        if (listens) {
            bound(timeoutMillis);
        } else {
            release(ended());
        }
    }

    void threw(Throwable thrown) {
        release(HttpOutcome.of(thrown));
    }

    /**
     * Sets the bound of an asynchronous answer with this time-out; 0 = not known, or none.
     *
     * <pre>
     *   this thread                    a thread of the container
     *   bound = alarm
     *                                  onComplete: released, closes the bound that it sees
     *   released? closes it
     * </pre>
     */
    private void bound(long timeoutMillis) {
        if (!released.get()) {
            set(filter.ring(timeoutMillis, this), released::get);
        }
    }

    private void set(Registration alarm, BooleanSupplier isLate) {
        bound = alarm;
        if (isLate.getAsBoolean()) {
            alarm.close();
        }
    }

    private void release(Outcome how) {
        if (isReleasedBy(how)) {
            closeBound();
        }
    }

    private boolean isReleasedBy(Outcome how) {
        Permit held = permit;
        if (held == null || !released.compareAndSet(false, true)) {
            return false;
        }
        held.release(how);
        return true;
    }

    private void closeBound() {
        Registration alarm = bound;
        if (alarm != null) {
            alarm.close();
        }
    }

    /** A thread is on a dispatch of it, until {@link #dispatchReturned}. */
    void dispatched() {
        dispatches.incrementAndGet();
    }

    void dispatchReturned() {
        dispatches.decrementAndGet();
    }

    boolean isDispatched() {
        return dispatches.get() > 0;
    }

    int answers() {
        return answers.get();
    }

    /** The time of the bound of this answer has passed: another one, if no dispatch has begun the next answer. */
    void again(int answer, Supplier<Registration> ring) {
        if (isIn(answer)) {
            set(ring.get(), () -> !isIn(answer));
        }
    }

    private boolean isIn(int answer) {
        return !released.get() && answers.get() == answer;
    }

    /** The container has taken the request back: its answer has ended. */
    boolean isRecycled() {
        try {
            request.isAsyncStarted();
            return false;
        } catch (IllegalStateException recycled) {
            return true;
        } catch (RuntimeException unknown) {
            return false;
        }
    }

    /** No container has told of the end. False = it had ended. */
    boolean overdue() {
        return isReleasedBy(Outcome.IGNORED);
    }

    private Outcome ended() {
        Outcome known = outcome;
        if (known != null) {
            return known;
        }
        try {
            return request.getAttribute(HttpRejection.ATTRIBUTE) == null
                    ? HttpOutcome.of(response.getStatus())
                    : Outcome.IGNORED;
        } catch (Throwable unreadable) {
            return Outcome.IGNORED;
        }
    }

    @Override
    public void onComplete(AsyncEvent event) {
        release(ended());
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        outcome = Outcome.DROPPED;
    }

    @Override
    public void onError(AsyncEvent event) {
        Throwable thrown = event.getThrowable();
        if (thrown instanceof IOException) {
            release(Outcome.IGNORED);
        } else if (outcome == null) {
            outcome = thrown == null ? Outcome.IGNORED : HttpOutcome.of(thrown);
        }
    }

    /* A dispatch has begun another asynchronous answer: the container forgets its listeners and the time-out. */
    @Override
    public void onStartAsync(AsyncEvent event) {
        answers.incrementAndGet();
        closeBound();
        listeningTo(event.getAsyncContext());
        bound(0);
    }
}
