package dev.weir;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request for a permit and the permit that it is granted, which may be ended at any time. Thread-safe; no method blocks.
 *
 * <p>For work that is ended by an event, such as the cancel of a stream or the close of a connection: the event may come before the
 * permit is granted, at that moment, or while the work runs. {@link #end} is right for all of them, and no permit is lost:
 *
 * <pre>{@code
 * Lease lease = Lease.of(limiter.acquireAsync(request, maxWait));
 * connection.onClose(() -> lease.end(Outcome.IGNORED));
 * lease.whenDecided(decision -> {
 *     if (decision instanceof Permit) {
 *         connection.serve(() -> lease.end(Outcome.SUCCESS));
 *     } else {
 *         connection.refuse();
 *     }
 * }, connection::fail);
 * }</pre>
 *
 * <p>For work that has a stage, {@link AsyncLimiter#callAsync} does all of this.
 */
public final class Lease {
    /*
     * The first write to the result decides whether the request was decided or ended first:
     *
     *     the limiter grants                  the owner ends
     *     result: null -> permit
     *                                         result: permit -> ENDED, releases the permit
     *     calls the action
     *
     *     the limiter grants                  the owner ends
     *                                         result: null -> ENDED
     *     completes the future
     *                                         cancels the future: too late, releases its permit
     *     finds ENDED: does nothing
     *
     * So each permit is released by the call that writes ENDED, in either order. In the first case the action may start work whose
     * permit is released already: it is work that goes on for a moment after it was cancelled.
     */
    private static final Object ENDED = new Object();

    private final CompletableFuture<Decision> asked;
    /* Null = not decided; else the decision, or the failure, or ENDED. */
    private final AtomicReference<@Nullable Object> result = new AtomicReference<>();

    private Lease(CompletableFuture<Decision> asked) {
        this.asked = asked;
    }

    /**
     * The lease of a request that was made.
     *
     * @param asked what {@code acquireAsync} has returned: itself, and no stage that depends on it. No other code may use it
     */
    public static Lease of(CompletableFuture<Decision> asked) {
        return new Lease(Objects.requireNonNull(asked, "asked"));
    }

    /**
     * Calls one of the actions when there is a decision; none if the lease is ended before. It is called on this thread if there is
     * a decision already, else where futures of the limiter are completed. An action that throws ends the lease as
     * {@link #endAfter}; no other code is told.
     *
     * @param decided gets the decision. It need not release the permit, but must see to it that the lease is ended
     * @param failed gets what the limiter has thrown in place of a decision
     */
    @SuppressWarnings("FutureReturnValueIgnored") // What the action throws has ended the lease.
    public void whenDecided(Consumer<? super Decision> decided, Consumer<? super Throwable> failed) {
        Objects.requireNonNull(decided, "decided");
        Objects.requireNonNull(failed, "failed");
        asked.whenComplete((decision, failure) -> {
            Object found = decision != null ? decision : failure;
            Object before = result.compareAndExchange(null, found);
            if (before != null && before != found) {
                return;
            }
            try {
                if (decision != null) {
                    decided.accept(decision);
                } else {
                    failed.accept(failure);
                }
            } catch (Throwable t) {
                endAfter(t);
                throw t;
            }
        });
    }

    /**
     * Ends the request or the work. A permit that is granted already is released with this outcome. A request that waits is
     * cancelled, and a permit that is granted at the same moment is released as {@link Outcome#CANCELLED}, which refunds what it
     * spent at a rate if the request is {@linkplain Request#refundable refundable}.
     *
     * @param outcome how the work ended; of no account where it was not granted a permit
     * @return false if it was ended before, or if an action was called with a rejection or a failure; this call does nothing then
     * @throws NullPointerException if {@code outcome} is null; nothing is ended then
     */
    public boolean end(Outcome outcome) {
        Objects.requireNonNull(outcome, "outcome");
        Object before = result.getAndSet(ENDED);
        return before == null ? giveUp() : before instanceof Permit permit && permit.release(outcome);
    }

    /**
     * Ends work that threw, with the outcome that the limiter's classifier gives for it. Otherwise the same as {@link #end}.
     *
     * @return false if it was ended before, or if an action was called with a rejection or a failure; this call does nothing then
     * @throws NullPointerException if {@code thrown} is null; nothing is ended then
     */
    public boolean endAfter(Throwable thrown) {
        Objects.requireNonNull(thrown, "thrown");
        Object before = result.getAndSet(ENDED);
        return before == null ? giveUp() : before instanceof Permit permit && permit.releaseAfter(thrown);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // A failure after the end is ignored.
    private boolean giveUp() {
        asked.whenComplete((decision, failure) -> {
            if (decision instanceof Permit permit) {
                permit.release(Outcome.CANCELLED);
            }
        });
        asked.cancel(false);
        return true;
    }
}
