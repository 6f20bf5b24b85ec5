package dev.weir.spi;

import dev.weir.Ticker;
import java.math.BigInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * How far limits have risen on their way from cold to full: one for all strategies that warm up together. It rises by
 * time alone, in {@link #STEPS} steps of the same length, never falls on the way, and turns cold again only by idleness.
 * Thread-safe; never blocks for longer than a few instructions.
 */
public final class RampProgress {
    /*
     * A step is part of what has been reached, not only of the time: if the clock runs back, the origin moves back with
     * it, so that no step is lost. The origin and the step change under the monitor; who reads a step too old takes the
     * next one when asked again.
     */

    /** How many steps there are; the last one is the full limit. */
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
     * Cold, and beginning now.
     *
     * @param floor the share of the limit to start from, more than 0 and at most 1
     * @param period nanoseconds from cold to full, at least 1
     * @param idle after how many nanoseconds unused it is cold again; 0 = never
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

    /**
     * Goes on from where another one is, as a part of the period; warm if there was none. To be called before it is used.
     *
     * @return this
     */
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

    /** What it reads the time from. */
    public Ticker ticker() {
        return ticker;
    }

    /** The step for a request to this strategy: moves on if one is due, or begins again after idleness. */
    public int step(Strategy asked) {
        int at = step;
        if (at == STEPS && idleNanos == 0) {
            return at;
        }
        long now = ticker.read();
        long elapsed = now - origin;
        if (isIdle(now, asked) || (at < STEPS && (stepAfter(elapsed) > at || elapsed < startOf(at)))) {
            move(asked);
        } else {
            used(now);
        }
        return step;
    }

    private synchronized void move(Strategy asked) {
        long now = ticker.read();
        if (isIdle(now, asked)) {
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

    private boolean isIdle(long now, Strategy asked) {
        return idleNanos > 0 && now - lastUsed >= idleNanos && inFlight.get() == 0 && asked.inFlight() == 0;
    }

    private void used(long now) {
        if (idleNanos > 0 && now - lastUsed > 0) {
            lastUsed = now;
        }
    }

    /** A request was answered to ask again in so many nanoseconds, or anything else: until then it is not idle. */
    public void answered(long answer) {
        if (idleNanos > 0 && answer > 0 && answer != Strategy.UNTIL_RELEASE) {
            used(ticker.read() + answer);
        }
    }

    /** A request was granted that will be {@link #released}. */
    public void held() {
        if (idleNanos > 0) {
            inFlight.getAndIncrement();
        }
    }

    /** What was {@link #held} has been released. */
    public void released() {
        if (idleNanos > 0) {
            inFlight.getAndDecrement();
            used(ticker.read());
        }
    }

    /** The step that is due now, taken or not. */
    public int due() {
        int at = step;
        return at == STEPS ? at : Math.max(at, stepAfter(ticker.read() - origin));
    }

    /** Whether it has reached the full limit, as of the last step that was asked for. */
    public boolean isWarm() {
        return step == STEPS;
    }

    /** The limit that is due now, taken or not, in per cent of the full one, rounded up. */
    public long percent() {
        return limit(due(), 100);
    }

    /** In how many nanoseconds a step begins that is not due yet; at least 1. */
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

    /** The figures at a step of a rate that has these at so large a limit: its permits by the period and its burst rise. */
    public RefillRate refillRate(int step, RefillRate full, long fullLimit) {
        if (step == STEPS) {
            return full;
        }
        long limit = limit(step, fullLimit);
        long burst = limit(step, full.burst());
        return full.permits() == fullLimit
                ? new RefillRate(limit, full.period(), burst)
                : new RefillRate(full.permits(), longer(full.period(), fullLimit, limit), burst);
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

    /** How many nanoseconds after a reading of the ticker the step of that reading ends; more than 0. */
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
