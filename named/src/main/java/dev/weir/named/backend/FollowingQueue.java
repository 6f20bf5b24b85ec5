package dev.weir.named.backend;

import dev.weir.Decision;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.queue.CallbackQueue;
import dev.weir.spi.Registration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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
        return entry.inForce().backend().line();
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
            Answering asked = entry.inForce();
            Decision decision = tryAcquire(asked, request, timeoutNanos, requestData);
            if (!entry.isReplaced(decision, asked)) {
                return decision;
            }
        }
    }

    private @Nullable Decision tryAcquire(
            Answering asked, Request request, long timeoutNanos, @Nullable Object requestData) {
        Request counted = asked.counted(request);
        Backend decider = asked.decider(counted);
        CallbackQueue line = decider.line();
        if (line != null) {
            return line.tryAcquire(counted, timeoutNanos, requestData);
        }
        return timeoutNanos > 0 && decider instanceof Backend.Stored ? null : decider.tryAcquire(counted, true);
    }

    @Override
    public Place place(Request request, Consumer<Decision> callback) {
        return new FollowedRequest(entry, request, callback);
    }

    @Override
    public void countRejection(Request request, Rejection rejection, @Nullable Place place) {
        CallbackQueue line = line();
        if (line != null) {
            line.countRejection(request, rejection, place instanceof FollowedRequest own ? own.place() : null);
        }
    }

    @Override
    public @Nullable Consumer<Decision> oldest(Predicate<Consumer<Decision>> test) {
        CallbackQueue line = line();
        return line != null
                        && line.oldest(waits -> waits instanceof FollowedRequest own
                                        && own.callback() != null
                                        && test.test(own.callback()))
                                instanceof FollowedRequest found
                ? found.callback()
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
}
