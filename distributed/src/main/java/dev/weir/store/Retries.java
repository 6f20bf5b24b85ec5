package dev.weir.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.spi.Registration;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Requests that wait for their next attempt, with one alarm for all of them. Thread-safe. */
final class Retries {
    private record Waiting(long due, long order, StoreRequest request) implements Comparable<Waiting> {
        @Override
        public int compareTo(Waiting other) {
            int byTime = Long.compare(due - other.due, 0);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    private static final class Setting {
        private final long due;
        private @Nullable Registration registration;

        private Setting(long due) {
            this.due = due;
        }
    }

    private static final int MIN_PURGE = 64;

    @GuardedBy("this")
    private final PriorityQueue<Waiting> queue = new PriorityQueue<>();

    private final Ticker ticker;
    private final Alarm alarm;
    private final Consumer<StoreRequest> retry;

    @GuardedBy("this")
    private long added;

    /** The size at which requests that their owners gave up are removed. */
    @GuardedBy("this")
    private int purgeAt = MIN_PURGE;

    @GuardedBy("this")
    private boolean closed;

    @GuardedBy("this")
    private @Nullable Setting setting;

    Retries(Ticker ticker, Alarm alarm, Consumer<StoreRequest> retry) {
        this.ticker = ticker;
        this.alarm = alarm;
        this.retry = retry;
    }

    /** Tries a request again at this reading of the ticker; false if closed. */
    boolean add(StoreRequest request, long due) {
        synchronized (this) {
            if (closed) {
                return false;
            }
            queue.add(new Waiting(due, added++, request));
            if (queue.size() >= purgeAt) {
                boolean unused = queue.removeIf(waiting -> waiting.request.isDone());
                purgeAt = Math.max(MIN_PURGE, 2 * queue.size());
            }
        }
        arm();
        return true;
    }

    /** The requests that wait, which are tried no more. */
    List<StoreRequest> close() {
        List<StoreRequest> left;
        Setting obsolete;
        synchronized (this) {
            closed = true;
            left = queue.stream().map(Waiting::request).toList();
            queue.clear();
            obsolete = setting;
            setting = null;
        }
        cancel(obsolete);
        return left;
    }

    private void arm() {
        Setting next;
        Setting obsolete;
        synchronized (this) {
            Waiting head = queue.peek();
            obsolete = setting;
            if (head == null || (obsolete != null && obsolete.due - head.due <= 0)) {
                return;
            }
            next = new Setting(head.due);
            setting = next;
        }
        cancel(obsolete);
        Registration set = alarm.ring(Math.max(1, next.due - ticker.read()), () -> fired(next));
        if (!wasSet(next, set)) {
            set.close();
        }
    }

    private synchronized boolean wasSet(Setting ours, Registration set) {
        ours.registration = set;
        return setting == ours;
    }

    private void cancel(@Nullable Setting obsolete) {
        Registration set = null;
        synchronized (this) {
            if (obsolete != null) {
                set = obsolete.registration;
            }
        }
        if (set != null) {
            set.close();
        }
    }

    private void fired(Setting ours) {
        List<StoreRequest> due = new ArrayList<>();
        synchronized (this) {
            if (setting == ours) {
                setting = null;
            }
            long now = ticker.read();
            for (Waiting head = queue.peek(); head != null && head.due - now <= 0; head = queue.peek()) {
                due.add(head.request);
                queue.poll();
            }
        }
        arm();
        due.forEach(retry);
    }
}
