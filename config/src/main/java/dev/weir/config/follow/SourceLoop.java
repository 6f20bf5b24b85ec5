package dev.weir.config.follow;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Ticker;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.InstanceStatus;
import dev.weir.config.source.Reading;
import dev.weir.internal.Require;
import dev.weir.spi.Alarm;
import dev.weir.spi.Registration;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A loop that reads one source whenever it is due, and tells a listener of each new reading. A source that fails is asked again
 * after a delay that grows from one second to 10, and never more than once a second; one that does not answer within 75 seconds
 * counts as lost. Thread-safe; whatever the source or the listener throws, the loop goes on.
 */
public final class SourceLoop implements AutoCloseable {
    /** A listener to the readings of a source, one call at a time. A call that throws is logged. */
    interface Listener {
        /** A reading that differs from the one before, or the one that {@link #reread} asked for. */
        void onReading(Reading reading);

        /**
         * The source cannot be read; called once for each outage. Must not block: for a call that does not return, it is called on
         * the thread of the alarm.
         */
        void onLost(Throwable why);

        /** The source is read again, after it could not be for so long. */
        void onRestored(Duration away);
    }

    /** A source may wait for a change for a minute. */
    private static final Duration TIMEOUT = Duration.ofSeconds(75);

    private static final Duration LONGEST_INTERVAL = Duration.ofDays(1);

    /*
     * While "busy", one task on the executor owns the fields from "watching" on. It makes the calls that are due, one after
     * another, sets one alarm for the next, and ends. Everybody else only starts that task or, if it runs, has it look again
     * ("poked").
     *
     * A call that takes too long is reported from the alarm, while the task is stuck in the call. If the call returns before
     * the report is made, the task ends with its result kept and still "busy", and the alarm starts it again ("parked"): so the
     * listener never hears of the end of an outage before its start.
     */
    private final ConfigSource source;
    private final String name;
    private final Listener listener;
    private final Alarm alarm;
    private final Executor executor;
    private final Ticker ticker;
    private final RetryDelay retryDelay;
    private final RetryDelay writeDelay;
    private final boolean acknowledges;
    private boolean watching;
    private long attempted;
    private long due;
    private long writeDue;
    private long interval;
    private @Nullable Reading fetched;
    private @Nullable Reading delivered;
    private @Nullable Runnable outcome;
    private @Nullable Registration next;
    private final State state = new State();

    /** The fields that several threads share. Guarded by the monitor of this object. */
    private static final class State {
        @GuardedBy("this")
        boolean started;

        @GuardedBy("this")
        boolean closed;

        /** True while a task of the loop runs, or is about to. */
        @GuardedBy("this")
        boolean busy;

        /** True if the task looks again before it ends. */
        @GuardedBy("this")
        boolean poked;

        /** True if the next reading is made as soon as possible. */
        @GuardedBy("this")
        boolean wanted = true;

        /** True if the listener is told of the next reading even if it is the same as before. */
        @GuardedBy("this")
        boolean repeated;

        /** True while the alarm reports a call that takes too long. */
        @GuardedBy("this")
        boolean reporting;

        /** True while the task, which has ended with a result, waits for that report. */
        @GuardedBy("this")
        boolean parked;

        @GuardedBy("this")
        long calls;

        @GuardedBy("this")
        @Nullable
        Thread caller;

        /** The status to be written; null = nothing. */
        @GuardedBy("this")
        @Nullable
        InstanceStatus pending;

        /** The status that was to be written last. */
        @GuardedBy("this")
        @Nullable
        InstanceStatus last;

        /** True if the source was read, and is not lost since. */
        @GuardedBy("this")
        boolean up;

        @GuardedBy("this")
        boolean lost;

        @GuardedBy("this")
        long lostSince;

        /** Notes the failure of a call that began then; true = an outage begins. */
        @GuardedBy("this")
        boolean lose(long start) {
            boolean isFirst = !lost;
            if (isFirst) {
                up = false;
                lost = true;
                lostSince = start;
            }
            return isFirst;
        }
    }

    /**
     * The delays between attempts that fail: one second, doubled up to ten, and up to half of that added at random, so that many
     * instances do not come at the same time. Not thread-safe.
     */
    private static final class RetryDelay {
        /** No two attempts start within this. */
        static final long SHORTEST = TimeUnit.SECONDS.toNanos(1);

        private static final long LONGEST = TimeUnit.SECONDS.toNanos(10);

        private final RandomGenerator random;
        private long base;

        RetryDelay(RandomGenerator random) {
            this.random = random;
        }

        /** The delay in nanoseconds after one more failure. */
        long next() {
            base = base == 0 ? SHORTEST : Math.min(LONGEST, 2 * base);
            return base + random.nextLong(base / 2 + 1);
        }

        void reset() {
            base = 0;
        }

        boolean isFailing() {
            return base != 0;
        }
    }

    /** A loop that has not started. It calls the source, which may block, and the listener on the executor, one task at a time. */
    SourceLoop(
            ConfigSource source,
            Listener listener,
            Alarm alarm,
            Executor executor,
            Ticker ticker,
            RandomGenerator random) {
        this.source = source;
        this.name = source.name();
        this.listener = listener;
        this.alarm = alarm;
        this.executor = executor;
        this.ticker = ticker;
        this.retryDelay = new RetryDelay(random);
        this.writeDelay = new RetryDelay(random);
        this.acknowledges = source.acknowledges();
    }

    /**
     * Reads the source for the first time: on this thread, before it returns, if it {@linkplain ConfigSource#isLocal never waits
     * for a server}; else on the executor. Throws if called twice.
     */
    void start() {
        boolean isHere = source.isLocal();
        synchronized (state) {
            if (state.started) {
                throw new IllegalStateException("already started");
            }
            state.started = true;
            state.busy = isHere;
        }
        if (!isHere) {
            poke();
            return;
        }
        boolean wasInterrupted = Thread.interrupted();
        if (step() && !rests()) {
            submit();
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reads the source as soon as possible, and tells the listener even if the reading is the same as before. Never blocks. */
    void reread() {
        synchronized (state) {
            state.wanted = true;
            state.repeated = true;
        }
        poke();
    }

    /** Reads the source as soon as possible. Never blocks. */
    void wake() {
        synchronized (state) {
            state.wanted = true;
        }
        poke();
    }

    /**
     * Has the source write this, and again after each outage. Only the last one matters. Does nothing if it {@linkplain
     * ConfigSource#acknowledges writes nothing}, or after {@link #close}.
     */
    void acknowledge(InstanceStatus status) {
        Objects.requireNonNull(status, "status");
        if (acknowledges) {
            synchronized (state) {
                state.last = status;
                state.pending = status;
            }
        }
        poke();
    }

    boolean isUp() {
        synchronized (state) {
            return state.up;
        }
    }

    /**
     * Closes the source, and interrupts a call to it. The listener is not called any more, but a call may not have ended yet.
     * Closing again does nothing.
     */
    @Override
    public void close() {
        Registration unset = null;
        synchronized (state) {
            if (state.closed) {
                return;
            }
            state.closed = true;
            if (state.caller != null && state.caller != Thread.currentThread()) {
                state.caller.interrupt();
            }
            if (!state.busy) {
                unset = next;
            }
        }
        if (unset != null) {
            unset.close();
        }
        guarded(source::close);
    }

    private void poke() {
        synchronized (state) {
            state.poked = true;
            if (!state.started || state.closed || state.busy) {
                return;
            }
            state.busy = true;
        }
        submit();
    }

    private void submit() {
        try {
            executor.execute(this::run);
        } catch (Throwable refused) {
            attempted = ticker.read();
            failed(refused);
            while (!rests()) {
                // Only an alarm is set here: no call may be made on this thread.
            }
        }
    }

    private void run() {
        do {
            if (!step()) {
                return;
            }
        } while (!rests());
    }

    /** Makes the call that is due, and what follows from it; false = a report comes before that. */
    private boolean step() {
        Runnable result = outcome == null ? call() : outcome;
        outcome = result;
        if (result != null) {
            synchronized (state) {
                state.parked = state.reporting;
                if (state.parked) {
                    return false;
                }
            }
            outcome = null;
            result.run();
        }
        return true;
    }

    /** Makes the call that is due, and returns what to do with its result; null if none is due. */
    private @Nullable Runnable call() {
        long now = ticker.read();
        InstanceStatus status;
        synchronized (state) {
            if (state.closed) {
                return null;
            }
            if (writeIn(now, state.pending) <= 0) {
                status = state.pending;
                state.pending = null;
            } else if (delay(now, state.wanted) <= 0) {
                status = null;
                state.wanted = false;
            } else {
                return null;
            }
            state.calls++;
            state.caller = Thread.currentThread();
        }
        return status == null ? read(now) : write(status, now);
    }

    private Runnable read(long now) {
        attempted = now;
        Throwable failure = failure(now, () -> {
            if (!watching) {
                source.watch(this::wake);
                watching = true;
            }
            fetched = Objects.requireNonNull(source.read(), "source returned null");
            interval = nanos(source.readEvery());
        });
        Reading reading = fetched;
        fetched = null;
        return failure == null && reading != null
                ? () -> succeeded(reading)
                : () -> failed(Objects.requireNonNull(failure));
    }

    private Runnable write(InstanceStatus status, long now) {
        Throwable failure = failure(now, () -> source.acknowledge(status));
        return () -> acknowledged(status, failure);
    }

    private interface Call {
        void make() throws Exception;
    }

    private @Nullable Throwable failure(long now, Call call) {
        long number;
        synchronized (state) {
            number = state.calls;
        }
        Registration overdue = null;
        Throwable failure = null;
        try {
            overdue = alarm.ring(TIMEOUT.toNanos(), () -> overdue(number, now));
            call.make();
        } catch (Throwable thrown) {
            failure = thrown;
        }
        if (overdue != null) {
            overdue.close();
        }
        synchronized (state) {
            state.caller = null;
            // An interrupt that is left would make every later call fail.
            Thread.interrupted();
        }
        return failure;
    }

    /** Runs on the thread of the alarm. */
    private void overdue(long number, long start) {
        synchronized (state) {
            if (state.closed || state.caller == null || state.calls != number || !state.lose(start)) {
                return;
            }
            state.reporting = true;
        }
        lost(new TimeoutException(name + " did not answer within " + TIMEOUT.toSeconds() + " s"));
        boolean resumed;
        synchronized (state) {
            state.reporting = false;
            resumed = state.parked;
            state.parked = false;
        }
        if (resumed) {
            submit();
        }
    }

    private void succeeded(Reading reading) {
        long now = ticker.read();
        boolean isNew = isNew(reading);
        retryDelay.reset();
        due = now + interval;
        if (interval == 0 && !isNew && attempted + RetryDelay.SHORTEST - now > 0) {
            due = attempted + RetryDelay.SHORTEST;
        }
        Duration away;
        boolean repeated;
        synchronized (state) {
            away = state.lost ? Duration.ofNanos(now - state.lostSince) : null;
            state.lost = false;
            state.up = true;
            repeated = state.repeated;
            state.repeated = false;
            if (away != null) {
                state.pending = state.last;
            }
        }
        if (away != null) {
            tell(() -> listener.onRestored(away));
        }
        if (isNew || repeated) {
            delivered = reading;
            tell(() -> listener.onReading(reading));
        }
    }

    private boolean isNew(Reading reading) {
        Reading before = delivered;
        return before == null
                || !reading.isSameAs(before)
                || reading.revision() != before.revision()
                || !reading.epoch().equals(before.epoch());
    }

    private void failed(Throwable why) {
        due = ticker.read() + retryDelay.next();
        boolean first;
        synchronized (state) {
            first = state.lose(attempted);
        }
        if (first) {
            lost(why);
        }
    }

    private void lost(Throwable why) {
        tell(() -> listener.onLost(why));
    }

    private void acknowledged(InstanceStatus status, @Nullable Throwable failure) {
        if (failure == null) {
            writeDelay.reset();
        } else {
            writeDue = ticker.read() + writeDelay.next();
        }
        synchronized (state) {
            state.wanted |= state.lost;
            if (failure != null && state.pending == null) {
                state.pending = status;
            }
        }
    }

    private boolean rests() {
        Registration old = next;
        next = null;
        if (old != null) {
            old.close();
        }
        long delay;
        synchronized (state) {
            if (state.closed) {
                state.busy = false;
                return true;
            }
            state.poked = false;
            long now = ticker.read();
            delay = Math.min(delay(now, state.wanted), writeIn(now, state.pending));
        }
        if (delay <= 0) {
            return false;
        }
        guarded(() -> next = alarm.ring(delay, this::poke));
        synchronized (state) {
            if (state.poked || state.closed) {
                return false;
            }
            state.busy = false;
            return true;
        }
    }

    /** The time until the next reading is due. */
    private long delay(long now, boolean wanted) {
        if (!wanted) {
            return due - now;
        }
        return retryDelay.isFailing() ? attempted + RetryDelay.SHORTEST - now : 0;
    }

    /** The time until something is to be written; not while the source cannot be read. */
    private long writeIn(long now, @Nullable InstanceStatus pending) {
        if (pending == null || retryDelay.isFailing()) {
            return Long.MAX_VALUE;
        }
        return writeDelay.isFailing() ? writeDue - now : 0;
    }

    private void tell(Runnable report) {
        boolean silent;
        synchronized (state) {
            silent = state.closed;
        }
        if (!silent) {
            guarded(report);
        }
    }

    private void guarded(Runnable foreign) {
        try {
            foreign.run();
        } catch (Throwable thrown) {
            System.getLogger(SourceLoop.class.getName()).log(Level.WARNING, "Ignored: failure at " + name, thrown);
        }
    }

    private static long nanos(Duration duration) {
        Require.that(!duration.isNegative(), "interval must be >= 0", duration);
        return (duration.compareTo(LONGEST_INTERVAL) > 0 ? LONGEST_INTERVAL : duration).toNanos();
    }
}
