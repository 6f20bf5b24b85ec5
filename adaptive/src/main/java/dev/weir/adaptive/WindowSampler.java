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
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/** Measures a limiter slice by slice, at next to no cost to those who pass. */
final class WindowSampler implements LimiterObserver {
    /*
     * Every admission adds to a striped total; one in `mask + 1` of a stripe is timed, so many that a slice has some
     * twenty. Only who was timed, and one refusal in `refusedMask + 1`, reads the clock; the first of them past the slice's end
     * closes it. `busy` is taken by compare-and-set and never waited for: who finds it taken leaves his sample behind.
     *
     *     A (timed)                        B (timed)
     *     busy := true
     *     past the end: closes, judges     finds busy: goes on, its sample is lost
     *     busy := false
     *
     * A sample in twenty thousand lost at random changes no mean. While the judgement turns the dial, busy stays taken:
     * what a wake-up does there passes by in the same way.
     *
     * Completed is not counted, but for rates and in a dry run, where permits hold nothing: it follows from what is, admitted less ended otherwise less the growth of what is in
     * flight, read at the slice's ends. A racing admission is in one of the two neighbouring slices.
     */
    static final long SLICE = 10_000_000;

    /** A slice this long tells of a clock that jumped or of nobody; it is no evidence. */
    private static final long STALE = 10_000_000_000L;

    private static final long LONGEST_SAMPLE = 3_600_000_000_000L;
    private static final long AGES_EVERY = 50_000_000;
    private static final int SAMPLES = 256;
    private static final int WANTED = 20;
    private static final long SLOWEST_MASK = (1 << 16) - 1;

    private static final int ADMITTED = 0;
    private static final int REFUSED = 1;
    private static final int DROPPED = 2;
    private static final int IGNORED = 3;

    /* Requests admitted, whatever they weigh; written plainly, for a turn lost in a race is one sample more or less. */
    private static final int TURNS = 4;

    /** Of a rate, and where a limit is not enforced in full. */
    private static final int COMPLETED = 5;

    private static final int PASSED = 6;

    private static final int STRIDE = 16;
    private static final int STRIPES =
            Integer.highestOneBit(Runtime.getRuntime().availableProcessors()) * 2;

    private final ManagedLimiter limiter;
    private final Ticker ticker;
    private final HungCalls overdue;
    private final LongSupplier waiting;
    private final Consumer<Window> closed;
    private final Runnable attended;
    private final LongConsumer turned;
    private final AtomicLongArray totals = new AtomicLongArray((STRIPES + 1) * STRIDE);
    private final AtomicLong unusable = new AtomicLong();
    private final AtomicBoolean busy = new AtomicBoolean();
    private volatile boolean called;
    private volatile boolean counts;
    private boolean holds;
    private boolean passing;
    private volatile long mask;
    private volatile long refusedMask;
    private volatile long limitSince;
    private long trustedSince;

    private final long[] fresh = new long[SAMPLES];
    private final long[] older = new long[SAMPLES];
    private final long[] seen = new long[STRIDE];
    private int freshCount;
    private int olderCount;
    private long since;
    private long least;
    private long most;
    private long inFlightBefore;
    private Ages ages = Ages.NONE;
    private long agesAt;

    WindowSampler(
            ManagedLimiter limiter,
            Ticker ticker,
            LongSupplier waiting,
            Consumer<Window> closed,
            Runnable attended,
            LongConsumer turned) {
        this.limiter = limiter;
        this.ticker = ticker;
        this.waiting = waiting;
        this.closed = closed;
        this.attended = attended;
        this.turned = turned;
        this.overdue = new HungCalls();
        this.limitSince = ticker.read();
        this.trustedSince = limitSince;
        begin(limitSince);
    }

    private void begin(long now) {
        since = now;
        holds = limiter.holds();
        counts = !holds || passing;
        freshCount = 0;
        olderCount = 0;
        inFlightBefore = limiter.inFlight();
        least = inFlightBefore;
        most = inFlightBefore;
    }

    /* The first stride is nobody's: the length of the array is in its line, and everybody reads that. */
    private static int stripe() {
        int hash = (int) ((Thread.currentThread().getId() * 0x9E3779B97F4A7C15L) >>> 40);
        return ((hash & (STRIPES - 1)) + 1) * STRIDE;
    }

    @Override
    public boolean timesNext() {
        return (totals.getPlain(stripe() + TURNS) & mask) == 0;
    }

    @Override
    public void onAdmitted(Request request) {
        int stripe = stripe();
        totals.setPlain(stripe + TURNS, totals.getPlain(stripe + TURNS) + 1);
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
            return; // not by this limit: a queue before it gave up, or no limit would have granted it
        }
        if ((totals.getAndIncrement(stripe() + REFUSED) & refusedMask) == 0) {
            look();
        }
    }

    @Override
    public void onReleased(Request request, Outcome outcome, long heldNanos) {
        if (outcome != Outcome.SUCCESS) {
            totals.getAndAdd(stripe() + (outcome == Outcome.DROPPED ? DROPPED : IGNORED), request.permits());
            if (heldNanos >= 0) {
                look();
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
        turned.accept(to);
    }

    /** Samples of no use: of no time at all, of more than an hour, or begun before the clock jumped. */
    long unusable() {
        return unusable.get();
    }

    /** Looks at the clock and what is in flight. */
    void look() {
        if (busy.compareAndSet(false, true)) {
            try {
                looked(ticker.read());
            } finally {
                busy.set(false);
            }
        }
        attend();
    }

    /** Has the control attended to soon, and by one thread at a time. */
    void callFor() {
        called = true;
        attend();
    }

    /*
     * One of the two attends, for whoever calls writes, then tries; whoever was busy gives up, then reads:
     *
     *     calls                            is busy
     *     called := true
     *     finds busy: goes away
     *                                      busy := false
     *                                      reads called: takes busy, attends
     *
     * Had the reading come before the call, busy was free before it was tried.
     */
    private void attend() {
        while (called && busy.compareAndSet(false, true)) {
            try {
                called = false;
                attended.run();
            } finally {
                busy.set(false);
            }
        }
    }

    private void sample(long heldNanos) {
        if (heldNanos == 0 || heldNanos > LONGEST_SAMPLE) {
            unusable.getAndIncrement();
            look();
        } else if (busy.compareAndSet(false, true)) {
            try {
                long now = ticker.read();
                if (now - heldNanos - trustedSince < 0) {
                    unusable.getAndIncrement();
                } else if (now - heldNanos - limitSince >= 0) {
                    if (freshCount < SAMPLES) {
                        fresh[freshCount++] = heldNanos;
                    }
                } else if (olderCount < SAMPLES) {
                    older[olderCount++] = heldNanos;
                }
                looked(now);
            } finally {
                busy.set(false);
            }
            attend();
        }
    }

    private void looked(long now) {
        long inFlight = limiter.inFlight();
        least = Math.min(least, inFlight);
        most = Math.max(most, inFlight);
        long elapsed = now - since;
        if (elapsed < 0 || elapsed >= STALE) {
            seenSoFar();
            mask = 0;
            refusedMask = 0;
            trustedSince = now;
            limitSince = now;
            begin(now);
        } else if (elapsed >= SLICE && holds != limiter.holds()) {
            seenSoFar();
            begin(now); // swapped for a limit of the other kind: what was counted is of neither
        } else if (elapsed >= SLICE) {
            Window slice = slice(elapsed, inFlight, now);
            begin(now);
            closed.accept(slice);
        }
    }

    private long[] seenSoFar() {
        long[] fell = new long[STRIDE];
        for (int column = 0; column <= PASSED; column++) {
            long sum = 0;
            for (int stripe = 1; stripe <= STRIPES; stripe++) {
                sum += totals.get(stripe * STRIDE + column);
            }
            fell[column] = sum - seen[column];
            seen[column] = sum;
        }
        return fell;
    }

    private Window slice(long elapsed, long inFlight, long now) {
        long[] fell = seenSoFar();
        mask = adapted(mask, fell[TURNS], elapsed);
        refusedMask = adapted(refusedMask, fell[REFUSED], elapsed);
        long returned = fell[ADMITTED] - fell[PASSED] - (inFlight - inFlightBefore);
        passing = fell[PASSED] > 0;
        long completed = counts ? fell[COMPLETED] : Math.max(0, returned - fell[DROPPED] - fell[IGNORED]);
        Latencies latencies = Latencies.of(fresh, freshCount);
        Ages present = ages(now, inFlight);
        return Window.lasting(elapsed, limiter.dial().limit())
                .at(now)
                .asked(fell[ADMITTED], fell[REFUSED])
                .passed(fell[PASSED])
                .ended(completed, fell[DROPPED], fell[IGNORED])
                .inFlight(least, most)
                .waiting(waiting.getAsLong())
                .overdue(overdue.among(present, latencies))
                .ages(present)
                .latencies(latencies, Latencies.of(older, olderCount))
                .build();
    }

    /* Walks over all that is timed, so not in each slice. */
    private Ages ages(long now, long inFlight) {
        if (now - agesAt >= AGES_EVERY || now - agesAt < 0) {
            agesAt = now;
            ages = new Ages(Latencies.of(limiter.timedAges()), inFlight);
        }
        return ages;
    }

    /* The next slices shall have about as many as wanted, if they are like this one. Refusals apart, lest a flood of them
    leave nothing timed. */
    private static long adapted(long mask, long seen, long elapsed) {
        double perSlice = (double) seen * SLICE / elapsed;
        if (perSlice / (mask + 1) > 2 * WANTED && mask < SLOWEST_MASK) {
            return 2 * mask + 1;
        }
        return perSlice / (mask + 1) < WANTED / 2.0 ? mask >> 1 : mask;
    }
}
