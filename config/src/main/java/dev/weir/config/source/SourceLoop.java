package dev.weir.config.source;

import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.spi.Registration;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A loop that reads one source whenever it is due, and tells a listener of each new reading. A source that fails is asked again
 * after a delay that grows from one second to 10, and never more than once a second; one that does not answer within 75 seconds
 * counts as lost. Thread-safe; whatever the source or the listener throws, the loop goes on. A {@code LimiterRegistry} has one
 * for its source.
 */
public final class SourceLoop implements AutoCloseable {
    /** A listener to the readings of a source, one call at a time. A call that throws is logged. */
    public interface Listener {
        /** A reading that differs from the one before, or the one that {@link #reread} asked for. */
        void onReading(Reading reading);

        /**
         * The source cannot be read; called once for each outage. Must not block: for a call that does not return, it is called
         * on the thread of the alarm.
         *
         * @param why what the source threw, or a {@link TimeoutException}
         */
        void onLost(Throwable why);

        /**
         * The source is read again.
         *
         * @param away how long it could not be read
         */
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
    private final Acknowledgement acknowledgement;
    private boolean watching;
    private long attempted;
    private long due;
    private long interval;
    private @Nullable Reading fetched;
    private @Nullable Reading delivered;
    private @Nullable Runnable outcome;
    private @Nullable Registration next;
    private final LoopState state;

    /**
     * A loop that has not started.
     *
     * @param source closed with the loop
     * @param listener told on a thread of the executor, except where it says otherwise
     * @param alarm wakes the loop when something is due
     * @param executor calls the source, which may block; one task at a time
     * @param ticker the time, by which delays and outages are measured
     * @param random spreads the delays after failures
     */
    public SourceLoop(
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
        this.acknowledgement = new Acknowledgement(source.acknowledges(), new RetryDelay(random));
        this.state = new LoopState(new SourceHealth(ticker.read()));
    }

    /**
     * Reads the source for the first time: on this thread, before it returns, if it {@linkplain ConfigSource#isLocal never waits
     * for a server}; else on the executor.
     *
     * @throws IllegalStateException if called twice
     */
    public void start() {
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
    public void reread() {
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
     * Has the source write this, and again after each outage. Only the last one matters. Does nothing if the source {@linkplain
     * ConfigSource#acknowledges writes nothing}, or after {@link #close}. Never blocks.
     */
    public void acknowledge(InstanceStatus status) {
        acknowledgement.set(status);
        poke();
    }

    /** The state of the source. */
    public SourceStatus status() {
        long now = ticker.read();
        synchronized (state) {
            return state.health.status(name, now);
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
            if (parks()) {
                return false;
            }
            outcome = null;
            result.run();
        }
        return true;
    }

    private boolean parks() {
        synchronized (state) {
            state.parked = state.reporting;
            return state.parked;
        }
    }

    /** Makes the call that is due, and returns what to do with its result; null if none is due. */
    private @Nullable Runnable call() {
        long now = ticker.read();
        InstanceStatus status;
        synchronized (state) {
            if (state.closed) {
                return null;
            }
            status = retryDelay.isFailing() ? null : acknowledgement.take(now);
            if (status == null) {
                if (delay(now, state.wanted) > 0) {
                    return null;
                }
                state.wanted = false;
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
            if (state.closed || state.caller == null || state.calls != number || !state.health.failed(start)) {
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
            away = state.health.succeeded(now);
            repeated = state.repeated;
            state.repeated = false;
        }
        if (away != null) {
            acknowledgement.repeat();
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
            first = state.health.failed(attempted);
        }
        if (first) {
            lost(why);
        }
    }

    private void lost(Throwable why) {
        tell(() -> listener.onLost(why));
    }

    private void acknowledged(InstanceStatus status, @Nullable Throwable failure) {
        long now = ticker.read();
        boolean wasLost;
        synchronized (state) {
            wasLost = state.health.isLost();
            if (failure != null) {
                state.health.stumbled();
            }
            state.wanted |= wasLost;
        }
        acknowledgement.ended(status, failure == null, now);
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
            delay = Math.min(
                    delay(now, state.wanted), retryDelay.isFailing() ? Long.MAX_VALUE : acknowledgement.delay(now));
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

    /** How long until the next reading is due. */
    private long delay(long now, boolean wanted) {
        if (!wanted) {
            return due - now;
        }
        return retryDelay.isFailing() ? attempted + RetryDelay.SHORTEST - now : 0;
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
        if (duration.isNegative()) {
            throw new IllegalArgumentException("interval must be >= 0, was " + duration);
        }
        return (duration.compareTo(LONGEST_INTERVAL) > 0 ? LONGEST_INTERVAL : duration).toNanos();
    }
}
