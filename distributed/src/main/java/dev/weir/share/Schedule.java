package dev.weir.share;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.spi.Registration;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A repeated action, of which one run at a time is made, and none before an interval since the last one. Thread-safe. */
final class Schedule {
    private final Ticker ticker;
    private final Alarm alarm;
    private final Executor executor;
    private final LongSupplier intervals;
    private final LongSupplier action;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private boolean isClosed;

    @GuardedBy("lock")
    private boolean isRunning;

    @GuardedBy("lock")
    private boolean isSet;

    @GuardedBy("lock")
    private long due;

    @GuardedBy("lock")
    private long set;

    @GuardedBy("lock")
    private boolean hasRun;

    @GuardedBy("lock")
    private long lastRun;

    @GuardedBy("lock")
    private long earliest;

    @GuardedBy("lock")
    private @Nullable Registration rings;

    /**
     * Creates a schedule that begins with the first {@link #within}.
     *
     * @param intervals asked after each run: how many nanoseconds after its beginning the next one may begin
     * @param action returns in how many nanoseconds to run it again, if nobody asks before; must not throw
     */
    Schedule(Ticker ticker, Alarm alarm, Executor executor, LongSupplier intervals, LongSupplier action) {
        this.ticker = ticker;
        this.alarm = alarm;
        this.executor = executor;
        this.intervals = intervals;
        this.action = action;
    }

    /** Runs the action within so many nanoseconds, or once the interval since its last run has passed. */
    void within(long nanos) {
        long now = ticker.read();
        long id;
        long delay;
        synchronized (lock) {
            long at = now + nanos;
            at = hasRun && earliest - at > 0 ? earliest : at;
            if (isClosed || (isSet && due - at <= 0)) {
                return;
            }
            isSet = true;
            due = at;
            id = ++set;
            if (isRunning) {
                return;
            }
            delay = at - now;
        }
        ring(id, delay);
    }

    private void ring(long id, long delay) {
        Registration next = alarm.ring(Math.max(1, delay), () -> start(id));
        Registration before;
        synchronized (lock) {
            boolean isLast = id == set && !isClosed;
            before = isLast ? rings : next;
            rings = isLast ? next : rings;
        }
        if (before != null) {
            before.close();
        }
    }

    private void start(long id) {
        synchronized (lock) {
            if (id != set || !isSet || isRunning || isClosed) {
                return;
            }
            isRunning = true;
            isSet = false;
            lastRun = ticker.read();
        }
        try {
            executor.execute(this::run);
        } catch (Throwable refused) { // also the lack of a thread
            end(0);
        }
    }

    private void run() {
        synchronized (lock) {
            lastRun = ticker.read();
        }
        end(action.getAsLong());
    }

    private void end(long again) {
        long id;
        long delay;
        synchronized (lock) {
            isRunning = false;
            hasRun = true;
            earliest = lastRun + intervals.getAsLong();
            long now = ticker.read();
            long at = now + again;
            due = isSet && due - at < 0 ? due : at;
            due = earliest - due > 0 ? earliest : due;
            isSet = true;
            id = ++set;
            delay = due - now;
            if (isClosed) {
                return;
            }
        }
        ring(id, delay);
    }

    void close() {
        Registration last;
        synchronized (lock) {
            isClosed = true;
            last = rings;
        }
        if (last != null) {
            last.close();
        }
    }
}
