package dev.weir.config.entry;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.config.entry.NamedEntry.InForce;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.CallbackQueue;
import dev.weir.spi.Registration;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The queue of a named limit as its executors see it, whatever answers the name at present. Thread-safe. */
public final class FollowingQueue implements CallbackQueue {
    private final NamedEntry entry;
    private final Map<Class<?>, Object> shared = new ConcurrentHashMap<>();

    public FollowingQueue(NamedEntry entry) {
        this.entry = entry;
    }

    private @Nullable CallbackQueue line() {
        return line(entry.inForce().backend());
    }

    private static @Nullable CallbackQueue line(Backend backend) {
        AdmissionQueue queue = backend instanceof Backend.Local local ? local.queue() : null;
        return queue == null ? null : queue.callbacks();
    }

    @Override
    public String name() {
        return entry.name();
    }

    @Override
    public @Nullable Object requestData() {
        CallbackQueue line = line();
        return line == null ? null : line.requestData();
    }

    @Override
    public @Nullable Decision tryAcquire(Request request, long timeoutNanos, @Nullable Object requestData) {
        while (true) {
            InForce asked = entry.inForce();
            Decision decision = tryAcquire(asked, request, timeoutNanos, requestData);
            if (!entry.isReplaced(decision, asked)) {
                return decision;
            }
        }
    }

    private @Nullable Decision tryAcquire(
            InForce asked, Request request, long timeoutNanos, @Nullable Object requestData) {
        Request counted = asked.counted(request);
        if (counted == null) {
            return entry.withoutKey(asked);
        }
        CallbackQueue line = line(asked.backend());
        if (line != null) {
            return line.tryAcquire(counted, timeoutNanos, requestData);
        }
        return timeoutNanos > 0 && asked.backend() instanceof Backend.Stored
                ? null
                : asked.backend().tryAcquire(counted);
    }

    @Override
    public Place place(Request request, Consumer<Decision> callback) {
        return new FollowingPlace(request, callback);
    }

    @Override
    public void countRejection(Request request, Rejection rejection, @Nullable Place place) {
        CallbackQueue line = line();
        if (line != null) {
            line.countRejection(request, rejection, place instanceof FollowingPlace own ? own.entered : null);
        }
    }

    @Override
    public @Nullable Consumer<Decision> oldest(Predicate<Consumer<Decision>> test) {
        CallbackQueue line = line();
        return line != null
                        && line.oldest(callback ->
                                        callback instanceof FollowingPlace place && test.test(place.callback))
                                instanceof FollowingPlace found
                ? found.callback
                : null;
    }

    @Override
    public boolean isFullWith(int more) {
        CallbackQueue line = line();
        return line != null && line.isFullWith(more);
    }

    @Override
    public Registration whenCapacity(Runnable listener) {
        LocalLimit local = entry.local();
        return local == null ? () -> {} : local.limiter().whenCapacity(listener);
    }

    @Override
    public <T> T shared(Class<T> type, Supplier<T> creation) {
        return type.cast(shared.computeIfAbsent(type, first -> creation.get()));
    }

    /** A place that is taken again where the requests of the name are answered next. */
    private final class FollowingPlace implements Place, Consumer<Decision> {
        /*
         * One of three ends a place: a decision that is final, the caller who withdraws, a rejection on the way in. `ended`
         * decides which. A place that is withdrawn while it moves is withdrawn again where it moved to:
         *
         *     moves to b2                      withdraws
         *     refused by b1
         *                                      ended := true, withdraws from b1: too late
         *     entered := place at b2
         *     sees ended: withdraws from b2
         */
        private final Request request;
        private final Consumer<Decision> callback;
        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile @Nullable Place entered;
        private volatile @Nullable Decision decision;
        private volatile InForce asked;
        private long enteredAt;
        private long timeout;

        FollowingPlace(Request request, Consumer<Decision> callback) {
            this.request = request;
            this.callback = callback;
            asked = entry.inForce();
        }

        @Override
        public @Nullable Rejection enter(long timeoutNanos, @Nullable Object requestData) {
            enteredAt = entry.environment().ticker().read();
            timeout = timeoutNanos;
            return enter(requestData);
        }

        private @Nullable Rejection enter(@Nullable Object requestData) {
            while (true) {
                InForce next = entry.inForce();
                asked = next;
                Rejection refused = enter(next, requestData);
                if (refused == null) {
                    return null;
                }
                entered = null;
                if (!entry.isReplaced(refused, next)) {
                    return refused;
                }
            }
        }

        private @Nullable Rejection enter(InForce where, @Nullable Object requestData) {
            Request counted = where.counted(request);
            if (counted == null) {
                Decision decision = entry.withoutKey(where);
                if (decision instanceof Rejection refused) {
                    return refused;
                }
                end(decision);
                return null;
            }
            long passed = entry.environment().ticker().read() - enteredAt;
            long left = timeout == Long.MAX_VALUE ? timeout : Math.max(0, timeout - passed);
            CallbackQueue line = line(where.backend());
            Place next = line != null ? line.place(counted, this) : new AskedPlace(counted, this, where.backend());
            entered = next;
            Rejection refused = next.enter(left, requestData);
            if (ended.get()) {
                next.withdraw();
            }
            return refused;
        }

        @Override
        public void accept(Decision answer) {
            if (entry.isReplaced(answer, asked) && !ended.get()) {
                Rejection refused = enter(null);
                if (refused != null) {
                    end(refused);
                }
            } else {
                end(answer);
            }
        }

        private void end(Decision answer) {
            if (ended.compareAndSet(false, true)) {
                decision = answer;
                callback.accept(answer);
            } else if (answer instanceof Permit permit) {
                permit.release(Outcome.CANCELLED);
            }
        }

        @Override
        public boolean withdraw() {
            Place present = entered;
            if (present == null || !ended.compareAndSet(false, true)) {
                return false;
            }
            boolean unused = present.withdraw();
            decision = new Rejection(entry.name(), Reason.CANCELLED, 0, 0);
            return true;
        }

        @Override
        public @Nullable Decision decision() {
            return decision;
        }
    }

    /** A place in no queue: the backend is asked for a future. */
    private static final class AskedPlace implements Place {
        private final Request request;
        private final Consumer<Decision> callback;
        private final Backend backend;
        private volatile @Nullable CompletableFuture<Decision> answer;

        AskedPlace(Request request, Consumer<Decision> callback, Backend backend) {
            this.request = request;
            this.callback = callback;
            this.backend = backend;
        }

        @Override
        public @Nullable Rejection enter(long timeoutNanos, @Nullable Object requestData) {
            CompletableFuture<Decision> asked = backend.acquireAsync(request, Duration.ofNanos(timeoutNanos));
            answer = asked;
            CompletableFuture<Decision> unused = asked.whenComplete((decision, failure) -> {
                if (decision != null) {
                    callback.accept(decision);
                } else if (!asked.isCancelled()) {
                    callback.accept(new Rejection("", Reason.UNAVAILABLE, 0, 0));
                }
            });
            return null;
        }

        @Override
        public boolean withdraw() {
            CompletableFuture<Decision> asked = answer;
            return asked != null && asked.cancel(false);
        }

        @Override
        public @Nullable Decision decision() {
            CompletableFuture<Decision> asked = answer;
            return asked == null || !asked.isDone() || asked.isCompletedExceptionally() ? null : asked.join();
        }
    }
}
