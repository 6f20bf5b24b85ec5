package dev.weir.succession;

import dev.weir.Ticker;
import dev.weir.spi.Account;
import dev.weir.spi.RampCurve;
import dev.weir.spi.Strategy;
import java.math.BigInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a warm-up from cold to full, shared by all strategies that warm up together. It rises with time
 * alone, in {@link #STEPS} steps of equal length. It does not fall before it is warm, and becomes cold again only when
 * it is idle. Thread-safe; never blocks for longer than a few instructions.
 */
public final class RampProgress {
    /*
     * A step that was reached is kept, whatever the clock shows: if the clock runs back, the origin moves back with it. The
     * origin and the step change under the monitor; a reader that sees an old step takes the next one in its next call.
     */

    /** The number of steps; the last one is the full limit. */
    public static final int STEPS = 256;

    /* Shares of the limit are integers over 2^30. */
    private static final int ONE_BITS = 30;

    private final Ticker ticker;
    private final long period;
    private final long stepNanos;
    private final long idleNanos;
    private final int[] shares = new int[STEPS + 1];
    private AtomicLong inFlight = new AtomicLong();
    private volatile long origin;
    private volatile long lastUsed;
    private volatile int step;
    private volatile int round;

    /**
     * A ramp that is cold and begins now.
     *
     * @param floor the share of the limit to start from, more than 0 and at most 1
     * @param period nanoseconds from cold to full, at least 1
     * @param idle after how many nanoseconds without use it is cold again; 0 = never
     */
    public RampProgress(Ticker ticker, RampCurve curve, double floor, long period, long idle) {
        this.ticker = ticker;
        this.period = period;
        this.stepNanos = (period - 1) / STEPS + 1;
        this.idleNanos = idle;
        for (int i = 0; i < STEPS; i++) {
            shares[i] = (int) (Math.max(floor, curve.share(floor, (double) i / STEPS)) * (1 << ONE_BITS));
        }
        shares[STEPS] = 1 << ONE_BITS;
        lastUsed = ticker.read();
        origin = lastUsed;
    }

    /** Continues another ramp at the same part of the period; warm if there was none. Call this before the ramp is used. */
    public RampProgress after(@Nullable RampProgress earlier) {
        long passed = period;
        if (earlier != null) {
            passed = earlier.passed(period);
            inFlight = earlier.inFlight;
            lastUsed = earlier.lastUsed;
        }
        origin = ticker.read() - passed;
        step = stepAfter(passed);
        return this;
    }

    private synchronized long passed(long ofPeriod) {
        if (step == STEPS) {
            return ofPeriod;
        }
        long passed = Math.max(startOf(step), Math.min(ticker.read() - origin, period));
        return BigInteger.valueOf(passed)
                .multiply(BigInteger.valueOf(ofPeriod))
                .divide(BigInteger.valueOf(period))
                .longValue();
    }

    public Ticker ticker() {
        return ticker;
    }

    /** The step for a request: takes the next one if it is due, or starts again after idleness, with none of {@code others} in flight. */
    public int step(LongSupplier others) {
        int at = step;
        if (at == STEPS && idleNanos == 0) {
            return at;
        }
        long now = ticker.read();
        long elapsed = now - origin;
        if (isIdle(now, others) || (at < STEPS && (stepAfter(elapsed) > at || elapsed < startOf(at)))) {
            move(others);
        } else {
            used(now);
        }
        return step;
    }

    private synchronized void move(LongSupplier others) {
        long now = ticker.read();
        if (isIdle(now, others)) {
            origin = now;
            step = 0;
            round = round + 1;
        } else if (now - origin < startOf(step)) {
            origin = now - startOf(step);
        } else {
            step = Math.max(step, stepAfter(now - origin));
        }
        used(now);
    }

    private boolean isIdle(long now, LongSupplier others) {
        return idleNanos > 0 && now - lastUsed >= idleNanos && inFlight.get() == 0 && others.getAsLong() == 0;
    }

    private void used(long now) {
        if (idleNanos > 0 && now - lastUsed > 0) {
            lastUsed = now;
        }
    }

    /** Tells the answer to a request. If that is a number of nanoseconds to wait, the ramp is not idle until then. */
    public void answered(long answer) {
        if (idleNanos > 0 && answer > 0 && answer != Strategy.UNTIL_RELEASE) {
            used(ticker.read() + answer);
        }
    }

    /** Tells that a request was granted that will be {@link #released}. */
    public void held() {
        if (idleNanos > 0) {
            inFlight.getAndIncrement();
        }
    }

    /** Tells that a request that was {@link #held} has been released. */
    public void released() {
        if (idleNanos > 0) {
            inFlight.getAndDecrement();
            used(ticker.read());
        }
    }

    /** The step that is due now, whether taken or not. */
    public int due() {
        int at = step;
        return at == STEPS ? at : Math.max(at, stepAfter(ticker.read() - origin));
    }

    /** The step that a request would find now: the one that is due, or the first after idleness with none of {@code others} in flight. */
    public int due(LongSupplier others) {
        return isIdle(ticker.read(), others) ? 0 : due();
    }

    /** True if the last step that was taken is the full limit. */
    public boolean isWarm() {
        return step == STEPS;
    }

    /** The limit that is due now, in per cent of the full limit, rounded up. */
    public long percent() {
        return limit(due(), 100);
    }

    /** In how many nanoseconds a later step begins; at least 1. */
    public long nanosUntil(int later) {
        return Math.max(1, origin + startOf(later) - ticker.read());
    }

    /** The limit of a step, rounded up. */
    public long limit(int step, long full) {
        long high = Math.multiplyHigh(full, shares[step]);
        long low = full * shares[step];
        long floor = high << (64 - ONE_BITS) | low >>> ONE_BITS;
        return (low & ((1L << ONE_BITS) - 1)) == 0 ? floor : floor + 1;
    }

    /** The account of a rate at a step, whose speed and burst are that share of the ones at the full limit. */
    public Account account(int step, Account full, long fullLimit) {
        if (step == STEPS) {
            return full;
        }
        long limit = limit(step, fullLimit);
        long burst = limit(step, full.burst());
        return full.permits() == fullLimit
                ? new Account(limit, full.period(), burst, full.used())
                : new Account(full.permits(), longer(full.period(), fullLimit, limit), burst, full.used());
    }

    private static long longer(long period, long fullLimit, long limit) {
        BigInteger nanos = BigInteger.valueOf(period)
                .multiply(BigInteger.valueOf(fullLimit))
                .add(BigInteger.valueOf(limit - 1))
                .divide(BigInteger.valueOf(limit));
        return nanos.bitLength() > 62 ? Long.MAX_VALUE : nanos.longValue();
    }

    /** Another number each time it has become cold again. */
    public int round() {
        return round;
    }

    /** The step of a reading of the ticker. */
    public int stepAt(long reading) {
        return stepAfter(reading - origin);
    }

    /** The nanoseconds from a reading of the ticker to the end of the step of that reading; more than 0. */
    public long nanosLeft(long reading) {
        long elapsed = reading - origin;
        int at = stepAfter(elapsed);
        return at == STEPS ? Long.MAX_VALUE : startOf(at + 1) - elapsed;
    }

    private int stepAfter(long elapsed) {
        return elapsed >= period ? STEPS : (int) Math.max(0, elapsed / stepNanos);
    }

    private long startOf(int step) {
        return Math.min(step * stepNanos, period);
    }
}
