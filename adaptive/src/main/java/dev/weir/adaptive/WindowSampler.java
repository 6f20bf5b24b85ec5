package dev.weir.adaptive;

import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.LimiterObserver;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** A sampler that measures a limiter in slices of 10 ms, at little cost for the threads that acquire and release. */
final class WindowSampler implements LimiterObserver {
    /*
     * Totals are striped: each has several cells, and the id of a thread selects its cell, the stripe. Every admission adds to
     * its stripe, and one in `mask + 1` of a stripe is timed, so that a slice has about twenty samples. Only the release of a
     * timed permit, and one rejection in `refusedMask + 1`, reads the clock; the first after the end of the slice closes it.
     * `busy` is set by compare-and-set and never waited for: a thread that finds it set discards its sample.
     *
     *     A (timed)                        B (timed)
     *     busy := true
     *     past the end: closes, evaluates  finds busy: continues, its sample is lost
     *     busy := false
     *
     * One sample in twenty thousand, lost at random, changes no mean. While the control sets the limit, busy stays set: samples
     * of permits that this wake-up releases are lost in the same way.
     *
     * Completed permits are counted only for rates and where the limit is not enforced, where permits are not in flight.
     * Otherwise they follow from other counts: admitted, less released otherwise, less the growth of the number in flight
     * between the ends of the slice. An admission that races is in one of the two adjacent slices.
     */
    static final long SLICE = 10_000_000;

    /** A slice this long means that the clock jumped or that there was no traffic; it is no evidence. */
    private static final long MAX_SLICE = 10_000_000_000L;

    private static final long MAX_SAMPLE = 3_600_000_000_000L;
    private static final long AGES_INTERVAL = 50_000_000;
    private static final int MAX_SAMPLES = 256;
    private static final int SAMPLES_PER_SLICE = 20;
    private static final long MAX_MASK = (1 << 16) - 1;

    private static final int ADMITTED = 0;
    private static final int REFUSED = 1;
    private static final int DROPPED = 2;
    private static final int IGNORED = 3;

    /* Requests admitted, each counted once; written plainly, because an increment lost in a race is one sample more or less. */
    private static final int REQUESTS = 4;

    /** For a rate, and where the limit is not enforced in full. */
    private static final int COMPLETED = 5;

    private static final int PASSED = 6;

    private static final int STRIDE = 16;
    private static final int STRIPES =
            Integer.highestOneBit(Runtime.getRuntime().availableProcessors()) * 2;

    private final ManagedLimiter limiter;
    private final Ticker ticker;
    private final LongSupplier epochMillis;
    private final HungCalls hung = new HungCalls();
    private final LongSupplier waiting;
    private final Consumer<Window> onSlice;
    private final Runnable update;
    private final LimitListener onLimit;
    /* Sums of no one instant: a request that races is in one of two slices. */
    private final AtomicLongArray totals = new AtomicLongArray((STRIPES + 1) * STRIDE);
    private final AtomicLong unusable = new AtomicLong();
    private final AtomicBoolean busy = new AtomicBoolean();
    private volatile boolean updateRequested;
    private volatile boolean counts;
    private boolean holds;
    private boolean passing;
    private volatile long mask;
    private volatile long refusedMask;
    /* Written once the limit is in force: a sample that began in between counts as older. */
    private volatile long limitSince;
    /* In the same way: the rejection of a request that was admitted before is no evidence about the lower limit. */
    private volatile long loweredSince;
    private long clockSince;

    private final long[] fresh = new long[MAX_SAMPLES];
    private final long[] older = new long[MAX_SAMPLES];
    private final long[] seen = new long[STRIDE];
    private int freshCount;
    private int olderCount;
    private long droppedSinceLowered;
    private long since;
    private long min;
    private long max;
    private long inFlightBefore;
    private Ages ages = Ages.NONE;
    private long agesAt;

    interface LimitListener {
        void changed(long from, long to, String why);
    }

    WindowSampler(
            ManagedLimiter limiter,
            Ticker ticker,
            LongSupplier epochMillis,
            LongSupplier waiting,
            Consumer<Window> onSlice,
            Runnable update,
            LimitListener onLimit) {
        this.limiter = limiter;
        this.ticker = ticker;
        this.epochMillis = epochMillis;
        this.waiting = waiting;
        this.onSlice = onSlice;
        this.update = update;
        this.onLimit = onLimit;
        this.limitSince = ticker.read();
        this.loweredSince = limitSince;
        this.clockSince = limitSince;
        begin(limitSince);
    }

    private void begin(long now) {
        since = now;
        holds = limiter.holds();
        counts = !holds || passing;
        freshCount = 0;
        olderCount = 0;
        droppedSinceLowered = 0;
        inFlightBefore = limiter.inFlight();
        min = inFlightBefore;
        max = inFlightBefore;
    }

    /* The first stride is unused: the length of the array is in its cache line, and all threads read that. */
    private static int stripe() {
        int hash = (int) ((Thread.currentThread().getId() * 0x9E3779B97F4A7C15L) >>> 40);
        return ((hash & (STRIPES - 1)) + 1) * STRIDE;
    }

    @Override
    public boolean timesNext() {
        return (totals.getPlain(stripe() + REQUESTS) & mask) == 0;
    }

    @Override
    public void onAdmitted(Request request) {
        int stripe = stripe();
        totals.setPlain(stripe + REQUESTS, totals.getPlain(stripe + REQUESTS) + 1);
        totals.getAndAdd(stripe + ADMITTED, request.permits());
    }

    @Override
    public void onPassed(Request request) {
        totals.getAndAdd(stripe() + PASSED, request.permits());
        totals.getAndIncrement(stripe() + REFUSED);
    }

    @Override
    public void onRejected(Request request, Rejection rejection) {
        if (rejection.reason() != Reason.CONCURRENCY && rejection.reason() != Reason.RATE) {
            return; // not refused by this limit: a queue before it did, or no limit would grant it
        }
        if ((totals.getAndIncrement(stripe() + REFUSED) & refusedMask) == 0) {
            tick();
        }
    }

    @Override
    public void onReleased(Request request, Outcome outcome, long heldNanos) {
        if (outcome != Outcome.SUCCESS) {
            totals.getAndAdd(stripe() + (outcome == Outcome.DROPPED ? DROPPED : IGNORED), request.permits());
            if (heldNanos >= 0) {
                tick(outcome == Outcome.DROPPED ? request.permits() : 0, heldNanos);
            }
            return;
        }
        if (counts) {
            totals.getAndAdd(stripe() + COMPLETED, request.permits());
        }
        if (heldNanos >= 0) {
            sample(heldNanos);
        }
    }

    @Override
    public void onLimitChanged(long from, long to, String why) {
        limitSince = ticker.read();
        if (to < from) {
            lowered();
        }
        onLimit.changed(from, to, why);
    }

    /** The limit was lowered, and the lower limit is in force. */
    void lowered() {
        loweredSince = ticker.read();
    }

    long unusable() {
        return unusable.get();
    }

    /** Reads the clock and the number in flight, and closes the slice if it is due. */
    void tick() {
        tick(0, 0);
    }

    private void tick(long dropped, long heldNanos) {
        if (busy.compareAndSet(false, true)) {
            try {
                long now = ticker.read();
                if (now - heldNanos - loweredSince > 0) {
                    droppedSinceLowered += dropped;
                }
                advance(now);
            } finally {
                busy.set(false);
            }
        }
        runRequestedUpdate();
    }

    /** Has the update of the control run soon, by one thread at a time. */
    void requestUpdate() {
        updateRequested = true;
        runRequestedUpdate();
    }

    /*
     * One of the two threads runs the update: the one that requests it writes, then tries `busy`; the other clears `busy`, then
     * reads:
     *
     *     requests                         is busy
     *     updateRequested := true
     *     finds busy: returns
     *                                      busy := false
     *                                      reads updateRequested: sets busy, updates
     *
     * If the read came before the request, busy was clear before it was tried.
     */
    private void runRequestedUpdate() {
        while (updateRequested && busy.compareAndSet(false, true)) {
            try {
                updateRequested = false;
                update.run();
            } finally {
                busy.set(false);
            }
        }
    }

    private void sample(long heldNanos) {
        if (heldNanos == 0 || heldNanos > MAX_SAMPLE) {
            unusable.getAndIncrement();
            tick();
        } else if (busy.compareAndSet(false, true)) {
            try {
                long now = ticker.read();
                if (now - heldNanos - clockSince < 0) {
                    unusable.getAndIncrement();
                } else if (now - heldNanos - limitSince >= 0) {
                    if (freshCount < MAX_SAMPLES) {
                        fresh[freshCount++] = heldNanos;
                    }
                } else if (olderCount < MAX_SAMPLES) {
                    older[olderCount++] = heldNanos;
                }
                advance(now);
            } finally {
                busy.set(false);
            }
            runRequestedUpdate();
        }
    }

    private void advance(long now) {
        long inFlight = limiter.inFlight();
        min = Math.min(min, inFlight);
        max = Math.max(max, inFlight);
        long elapsed = now - since;
        if (elapsed < 0 || elapsed >= MAX_SLICE) {
            increments();
            mask = 0;
            refusedMask = 0;
            clockSince = now;
            limitSince = now;
            loweredSince = now;
            begin(now);
        } else if (elapsed >= SLICE && holds != limiter.holds()) {
            increments();
            begin(now); // changed to a limit of the other kind: the counts belong to neither
        } else if (elapsed >= SLICE) {
            Window slice = slice(elapsed, inFlight, now);
            begin(now);
            onSlice.accept(slice);
        }
    }

    private long[] increments() {
        long[] added = new long[STRIDE];
        for (int column = 0; column <= PASSED; column++) {
            long sum = 0;
            for (int stripe = 1; stripe <= STRIPES; stripe++) {
                sum += totals.get(stripe * STRIDE + column);
            }
            added[column] = sum - seen[column];
            seen[column] = sum;
        }
        return added;
    }

    private Window slice(long elapsed, long inFlight, long now) {
        long[] added = increments();
        mask = adapted(mask, added[REQUESTS], elapsed);
        refusedMask = adapted(refusedMask, added[REFUSED], elapsed);
        long returned = added[ADMITTED] - added[PASSED] - (inFlight - inFlightBefore);
        passing = added[PASSED] > 0;
        long completed = counts ? added[COMPLETED] : Math.max(0, returned - added[DROPPED] - added[IGNORED]);
        Latencies latencies = Latencies.of(fresh, freshCount);
        Ages present = ages(now, inFlight);
        return Window.lasting(elapsed, limiter.dial().limit())
                .at(now)
                .epochMillis(epochMillis.getAsLong())
                .requests(added[ADMITTED], added[REFUSED])
                .passed(added[PASSED])
                .ended(completed, added[DROPPED], added[IGNORED])
                .droppedSinceLowered(droppedSinceLowered)
                .inFlight(min, max)
                .waiting(waiting.getAsLong())
                .hung(hung.among(present, latencies))
                .ages(present)
                .latencies(latencies, Latencies.of(older, olderCount))
                .build();
    }

    /* Iterates over all timed permits, so not in each slice. */
    private Ages ages(long now, long inFlight) {
        if (now - agesAt >= AGES_INTERVAL || now - agesAt < 0) {
            agesAt = now;
            ages = new Ages(Latencies.of(limiter.timedAges()), inFlight);
        }
        return ages;
    }

    /* The mask for about SAMPLES_PER_SLICE in slices like this one. Rejections have a mask of their own: many rejections must not
     * leave nothing timed. */
    private static long adapted(long mask, long seen, long elapsed) {
        double perSlice = (double) seen * SLICE / elapsed;
        if (perSlice / (mask + 1) > 2 * SAMPLES_PER_SLICE && mask < MAX_MASK) {
            return 2 * mask + 1;
        }
        return perSlice / (mask + 1) < SAMPLES_PER_SLICE / 2.0 ? mask >> 1 : mask;
    }

    /** An estimate of the number of calls that hang: those in flight for far longer than calls usually take. */
    private static final class HungCalls {
        private static final double MIN_AGE = 1_000_000_000;
        private static final double TIMES = 10;
        private static final double WEIGHT = 0.05;

        private double usual;

        /** An estimate of the permits in flight that hang. */
        long among(Ages ages, Latencies latencies) {
            if (latencies.count() > 0) {
                usual = usual == 0 ? latencies.mean() : usual + WEIGHT * (latencies.mean() - usual);
            }
            return Math.round(ages.olderThan(Math.max(MIN_AGE, TIMES * usual)));
        }
    }
}
