package dev.weir.named.backend;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.internal.Undoable;
import dev.weir.queue.CallbackQueue;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One request for a name, asked for again if another backend answers the name before it is granted: for a thread that blocks, as a
 * future, or as the place of a task in a queue, with a callback. Thread-safe.
 */
public final class FollowedRequest extends CompletableFuture<Decision>
        implements CallbackQueue.Place, Consumer<Decision> {
    /*
     * Who completes this future ends the request: a decision that is final, the caller who cancels or withdraws, a failure. A
     * request that is cancelled while it moves is cancelled again where it moved to, because what was asked is written before
     * isDone is read, and a canceller completes the future before it reads that:
     *
     *     moves to b2                      cancels
     *     refused by b1
     *                                      completes this, cancels at b1: too late
     *     place := that at b2
     *     sees isDone: cancels at b2
     *
     * A change moves it from b1 itself, so that those that wait keep their order. It takes the place or the future from b1, and
     * asks b2 if b1 had not decided by then; else the decision of b1 counts, and moves it by itself if it is a rejection of a
     * backend that was replaced:
     *
     *     change                           b1
     *     inForce := b2
     *     isTaken: false -> true           decides
     *     cancels the future: too late     isTaken is true: leaves it
     *     takes the decision
     */
    private final NamedEntry entry;
    private final Request request;
    private final Duration maxWait;
    /* Of a task; null = this is a future of somebody. */
    private final @Nullable Consumer<Decision> callback;
    private volatile Answering asked;
    private volatile @Nullable Answer answer;
    private volatile CallbackQueue.@Nullable Place place;
    /* Then it ends aside: the thread of the change must not wait for what depends on its decision. */
    private volatile boolean isMoved;
    private long startedAt;
    private long timeout;
    private boolean isAgain;

    /** A future of a backend, and who of two takes its decision. */
    private record Answer(CompletableFuture<Decision> future, AtomicBoolean isTaken) {
        boolean take() {
            return isTaken.compareAndSet(false, true);
        }
    }

    public FollowedRequest(NamedEntry entry, Request request, Duration maxWait) {
        this(entry, request, maxWait, null, now(entry));
    }

    /** The place of a task, whose callback is told where a permit is granted. */
    FollowedRequest(NamedEntry entry, Request request, Consumer<Decision> callback) {
        this(entry, request, Duration.ZERO, callback, 0);
    }

    private FollowedRequest(
            NamedEntry entry,
            Request request,
            Duration maxWait,
            @Nullable Consumer<Decision> callback,
            long startedAt) {
        this.entry = entry;
        this.request = request;
        this.maxWait = Objects.requireNonNull(maxWait, "maxWait");
        this.callback = callback;
        this.startedAt = startedAt;
        asked = entry.inForce();
    }

    private static long now(NamedEntry entry) {
        return entry.environment().ticker().read();
    }

    /** Blocks until there is a decision; with {@code isUndone}, the permit may be undone. */
    public static Decision await(NamedEntry entry, Request request, Duration maxWait, boolean isUndone)
            throws InterruptedException {
        boolean waits = !maxWait.isZero() && !maxWait.isNegative();
        long startedAt = waits ? now(entry) : 0;
        while (true) {
            Answering asked = entry.inForce();
            Request counted = asked.counted(request);
            Decision decision = asked.decider(counted).acquire(counted, maxWait, isUndone);
            if (!entry.isReplaced(decision, asked)) {
                return decision;
            }
            if (waits) {
                FollowedRequest rest = new FollowedRequest(entry, request, maxWait, null, startedAt);
                rest.isAgain = true;
                return rest.await();
            }
        }
    }

    private Decision await() throws InterruptedException {
        CompletableFuture<Decision> decision = ask();
        try {
            return decision.get();
        } catch (InterruptedException e) {
            if (decision.cancel(false)) {
                throw e;
            }
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            // Thrown by what follows.
        }
        return decision.join();
    }

    /** The future of the decision: this one, or that of the backend if it has decided. */
    public CompletableFuture<Decision> ask() {
        asked = entry.inForce();
        Request counted = asked.counted(request);
        CompletableFuture<Decision> first = asked.decider(counted).acquireAsync(counted, left());
        if (first.isDone() && !first.isCompletedExceptionally() && !entry.isReplaced(first.join(), asked)) {
            return first;
        }
        CompletableFuture<Decision> unused = whenComplete((decision, failure) -> cancelAsked());
        arrive();
        listen(first);
        return this;
    }

    private void arrive() {
        entry.arrivals().add(this);
        CompletableFuture<Decision> unused =
                whenComplete((decision, failure) -> entry.arrivals().remove(this));
    }

    int compareArrival(FollowedRequest other) {
        return Long.compare(startedAt - other.startedAt, 0);
    }

    @Override
    public @Nullable Rejection enter(long timeoutNanos, @Nullable Object requestData) {
        startedAt = now(entry);
        timeout = timeoutNanos;
        Rejection refused = follow(requestData);
        if (refused == null) {
            arrive();
        }
        return refused;
    }

    /* Asks where the name is answered now. Null = it waits or has ended. */
    private @Nullable Rejection follow(@Nullable Object requestData) {
        while (true) {
            Answering next = entry.inForce();
            asked = next;
            Rejection refused = follow(next, requestData);
            if (refused == null) {
                return null;
            }
            if (!entry.isReplaced(refused, next)) {
                place = null;
                return refused;
            }
        }
    }

    private @Nullable Rejection follow(Answering where, @Nullable Object requestData) {
        Request counted = where.counted(request);
        Backend decider = where.decider(counted);
        CallbackQueue line = callback == null ? null : decider.line();
        if (line == null) {
            CompletableFuture<Decision> next = decider.acquireAsync(counted, left());
            if (next.isDone() && !next.isCompletedExceptionally() && next.join() instanceof Rejection refused) {
                return refused;
            }
            listen(next);
            return null;
        }
        CallbackQueue.Place next = line.place(counted, this);
        place = next;
        Rejection refused = next.enter(leftNanos(), requestData);
        if (isDone()) {
            next.withdraw();
        }
        return refused;
    }

    private long leftNanos() {
        return timeout == Long.MAX_VALUE ? timeout : Math.max(0, timeout - (now(entry) - startedAt));
    }

    private Duration left() {
        if (callback != null) {
            return Duration.ofNanos(leftNanos());
        }
        if (!isAgain) {
            isAgain = true;
            return maxWait;
        }
        return SuspensionGate.left(request, maxWait, now(entry) - startedAt);
    }

    private void listen(CompletableFuture<Decision> next) {
        Answer waits = new Answer(next, new AtomicBoolean());
        answer = waits;
        place = null;
        if (isDone()) {
            cancelAsked();
        }
        CompletableFuture<Decision> unused = next.whenComplete((decision, failure) -> {
            if (waits.take()) {
                decided(decision, failure);
            }
        });
    }

    private void decided(@Nullable Decision decision, @Nullable Throwable failure) {
        if (decision != null) {
            accept(decision);
        } else {
            fail(failure == null ? new NullPointerException("decision") : failure);
        }
    }

    private void cancelAsked() {
        CallbackQueue.Place waits = place;
        if (waits != null) {
            boolean unused = waits.withdraw();
        }
        Answer present = answer;
        if (present != null) {
            present.future.cancel(false);
        }
    }

    /** Takes it from a backend that was replaced, for {@link #askAgain}; false = there is a decision, or it moves by itself. */
    boolean leave() {
        if (isDone() || !asked.backend().isReplacedBy(entry.inForce().backend())) {
            return false;
        }
        CallbackQueue.Place waits = place;
        if (waits != null) {
            isMoved = true;
            return waits.withdraw();
        }
        Answer present = answer;
        if (present == null || !present.take()) {
            return false;
        }
        isMoved = true;
        try {
            if (present.future.cancel(false)) {
                return true;
            }
            CompletableFuture<Decision> unused = present.future.whenComplete(this::decided);
        } catch (Throwable foreign) {
            fail(foreign);
        }
        return false;
    }

    /** Asks where the name is answered now. */
    void askAgain() {
        try {
            Rejection refused = isDone() ? null : follow(null);
            if (refused != null) {
                end(refused);
            }
        } catch (Throwable t) {
            fail(t);
        }
    }

    @Override
    public void accept(Decision decision) {
        if (isDone() || !entry.isReplaced(decision, asked)) {
            end(decision);
        } else {
            askAgain();
        }
    }

    private void fail(Throwable failure) {
        if (callback == null) {
            tell(() -> completeExceptionally(failure));
        } else {
            end(new Rejection(entry.name(), Reason.UNAVAILABLE, 0, 0));
        }
    }

    private void end(Decision decision) {
        tell(() -> ended(decision));
    }

    private void tell(Runnable end) {
        if (isMoved) {
            entry.environment().aside(end);
        } else {
            end.run();
        }
    }

    private void ended(Decision decision) {
        if (complete(decision)) {
            if (callback != null) {
                callback.accept(decision);
            }
        } else if (decision instanceof Permit permit && decision() != permit) {
            // It was cancelled while it was granted.
            Undoable.undo(permit);
        }
    }

    @Override
    public boolean withdraw(Reason reason) {
        boolean isAsked = place != null || answer != null;
        if (!isAsked || !complete(new Rejection(entry.name(), reason, 0, 0))) {
            return false;
        }
        cancelAsked();
        return true;
    }

    @Override
    public @Nullable Decision decision() {
        return isDone() && !isCompletedExceptionally() ? join() : null;
    }

    @Nullable
    Consumer<Decision> callback() {
        return callback;
    }

    CallbackQueue.@Nullable Place place() {
        return place;
    }

    /** The requests for one name that wait without a thread in a backend, which move together to the next one. Thread-safe. */
    static final class Arrivals {
        @GuardedBy("this")
        private final Set<FollowedRequest> waiting = new LinkedHashSet<>();

        synchronized void add(FollowedRequest request) {
            waiting.add(request);
        }

        synchronized void remove(FollowedRequest request) {
            waiting.remove(request);
        }

        private synchronized List<FollowedRequest> all() {
            List<FollowedRequest> all = new ArrayList<>(waiting);
            all.sort(FollowedRequest::compareArrival);
            return all;
        }

        /** Takes them from where they wait, and asks for each where the name is answered now, in order of arrival. */
        void move() {
            List<FollowedRequest> all = all();
            Deque<FollowedRequest> taken = new ArrayDeque<>();
            // The last goes first, so that none is granted what those before it wait for.
            for (int i = all.size() - 1; i >= 0; i--) {
                if (all.get(i).leave()) {
                    taken.addFirst(all.get(i));
                }
            }
            taken.forEach(FollowedRequest::askAgain);
        }
    }
}
