package dev.weir.console;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Ticker;
import dev.weir.config.LimiterRegistry;
import dev.weir.console.Board.Told;
import dev.weir.internal.Workers;
import dev.weir.spi.Registration;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The thread that samples a registry for all pages twice a second while somebody looks: while a stream is open, and for 10 seconds after
 * a poll. Requests are recorded as long, and for some time after that; then the thread ends. Thread-safe.
 */
final class Sampling implements AutoCloseable {
    private static final Logger LOG = System.getLogger(Sampling.class.getName());
    private static final long EACH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long POLLED_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long FIRST_SAMPLE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final LimiterRegistry registry;
    private final Board board;
    private final CountedParts parts;
    private final Ticker ticker;
    private final long recordedNanos;
    private final Consumer<Told> streams;

    @GuardedBy("this")
    private int open;

    @GuardedBy("this")
    private long polledAt;

    @GuardedBy("this")
    private long lookedAt;

    @GuardedBy("this")
    private @Nullable Thread running;

    /* Whether the board is of the time since somebody looks. */
    @GuardedBy("this")
    private boolean isFresh;

    @GuardedBy("this")
    private boolean closed;

    /* These are of the thread that runs; the one before has ended. */
    private @Nullable Registration recording;
    private @Nullable Registration observing;
    private long told = Long.MIN_VALUE;

    /** Samples into the board, and each sample's changes to the streams; records for this time after nobody looks any more. */
    Sampling(
            LimiterRegistry registry,
            Board board,
            CountedParts parts,
            Ticker ticker,
            long recordedNanos,
            Consumer<Told> streams) {
        this.recordedNanos = recordedNanos;
        this.registry = registry;
        this.board = board;
        this.parts = parts;
        this.ticker = ticker;
        polledAt = ticker.read() - POLLED_NANOS;
        this.streams = streams;
    }

    /** Waits for the first sample. Samples until {@link #closeOne} is called as often, also if this throws. */
    synchronized void open() throws InterruptedException {
        open++;
        awaitSample();
    }

    synchronized void closeOne() {
        open--;
        notifyAll();
    }

    /** Samples for 10 seconds from now on, and waits for the first sample. */
    synchronized void look() throws InterruptedException {
        polledAt = ticker.read();
        awaitSample();
    }

    /** All that is new since a sample, for a page without a stream. */
    Told poll(long since) throws InterruptedException {
        look();
        return board.since(since);
    }

    @GuardedBy("this")
    private void awaitSample() throws InterruptedException {
        if (running == null && !closed) {
            start();
        }
        notifyAll();
        long start = ticker.read();
        for (long left = FIRST_SAMPLE_NANOS; !isFresh && !closed && left > 0; ) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
            left = FIRST_SAMPLE_NANOS - (ticker.read() - start);
        }
    }

    @GuardedBy("this")
    private void start() {
        Thread thread = Workers.thread("weir-console-sampler", this::run);
        thread.start();
        running = thread;
    }

    private void run() {
        boolean isUnwatched = false;
        try {
            do {
                round();
            } while (pause());
            isUnwatched = true;
        } catch (InterruptedException e) {
            // closed
        } finally {
            finish(isUnwatched);
        }
    }

    private void finish(boolean isUnwatched) {
        try {
            end(observing);
            observing = null;
            end(recording);
            recording = null;
        } finally {
            ended(isUnwatched);
        }
    }

    /* Code of others may throw an error, too: the next round is a pause later all the same. */
    private void round() {
        try {
            if (recording == null) {
                recording = registry.names().recorder().record();
            }
            if (isWatched()) {
                sample();
            } else {
                end(observing);
                observing = null;
            }
        } catch (Throwable t) {
            LOG.log(Level.DEBUG, "the registry cannot be read", t);
        }
        // It may also interrupt. What close has interrupted finds that it is closed.
        boolean unused = Thread.interrupted();
    }

    private void sample() {
        try {
            if (observing == null) {
                observing = registry.names().observe(parts);
                board.forgetRates();
            }
            board.sample();
        } finally {
            sampled();
        }
        Told news = board.since(told);
        told = news.id();
        streams.accept(news);
    }

    private static void end(@Nullable Registration one) {
        if (one != null) {
            one.close();
        }
    }

    @GuardedBy("this")
    private boolean isLookedAt() {
        return !closed && (open > 0 || ticker.read() - polledAt < POLLED_NANOS);
    }

    private synchronized boolean isWatched() {
        boolean isIt = isLookedAt();
        if (isIt) {
            lookedAt = ticker.read();
        } else {
            isFresh = false;
        }
        return isIt;
    }

    private synchronized void sampled() {
        isFresh = true;
        notifyAll();
    }

    /* Until the next sample; while nobody looks, until somebody does. False = nobody has for so long that nothing is recorded. */
    private synchronized boolean pause() throws InterruptedException {
        long start = ticker.read();
        boolean isIt = isLookedAt();
        long time = isIt ? EACH_NANOS : recordedNanos - (start - lookedAt);
        for (long left = time; isLookedAt() == isIt && !closed && left > 0; ) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
            left = time - (ticker.read() - start);
        }
        return isIt || isLookedAt();
    }

    /* Somebody may have begun to look since the last pause. After a failure, the next one who looks begins. */
    private synchronized void ended(boolean isUnwatched) {
        running = null;
        isFresh = false;
        if (isUnwatched && isLookedAt()) {
            start();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
        if (running != null) {
            running.interrupt();
        }
    }
}
