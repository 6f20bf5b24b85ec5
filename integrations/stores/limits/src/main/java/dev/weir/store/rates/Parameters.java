package dev.weir.store.rates;

import dev.weir.store.state.EvenRate;
import dev.weir.store.state.WindowLimit;
import java.math.BigInteger;
import java.time.Duration;

/** The parameters of rates in units so small that each permit and each microsecond has a whole number of them. */
final class Parameters {
    private static final BigInteger MOST = BigInteger.ONE.shiftLeft(52);
    private static final BigInteger MICRO = BigInteger.valueOf(1_000);
    private static final int DEBT_BITS = 48;

    private Parameters() {}

    /** Permits that are free again one by one. */
    static EvenRate even(long permits, Duration period, long capacity) {
        BigInteger leak = BigInteger.valueOf(permits).multiply(MICRO);
        BigInteger cost = nanos(period);
        return parameters(leak, cost, cost.multiply(BigInteger.valueOf(capacity)), capacity, false, permits);
    }

    /** Permits at an interval of whole nanoseconds, of which each may come up to a tolerance early. */
    static EvenRate tolerant(long permits, Duration period, Duration tolerance) {
        BigInteger interval = interval(permits, period);
        BigInteger cap = interval.add(nanos(tolerance));
        return parameters(MICRO, interval, cap, cap.divide(interval).longValueExact(), false, permits);
    }

    /** Slots at an interval of whole nanoseconds. */
    static EvenRate paced(long permits, Duration period, long largest) {
        BigInteger interval = interval(permits, period);
        BigInteger cap = interval.multiply(BigInteger.valueOf(largest).add(BigInteger.ONE));
        return parameters(MICRO, interval, cap, largest, true, permits);
    }

    private static EvenRate parameters(
            BigInteger leak, BigInteger cost, BigInteger cap, long largest, boolean paced, long limit) {
        BigInteger unit = leak.gcd(cost).gcd(cap);
        return new EvenRate(
                exact(leak.divide(unit)),
                exact(cost.divide(unit)),
                exact(cap.divide(unit)),
                exact(BigInteger.valueOf(largest)),
                paced,
                exact(BigInteger.valueOf(limit)));
    }

    /**
     * The limit of a window. Its rate only says how fast a debt leaks which remains after a change. If it needs too many digits it is
     * rounded down.
     */
    static WindowLimit window(long limit, Duration period) {
        BigInteger leak = BigInteger.valueOf(limit).multiply(MICRO);
        BigInteger cost = nanos(period);
        BigInteger unit = leak.gcd(cost);
        int bits = cost.divide(unit).multiply(BigInteger.valueOf(limit)).bitLength();
        if (bits > DEBT_BITS) {
            unit = unit.shiftLeft(bits - DEBT_BITS);
        }
        BigInteger[] rounded = cost.divideAndRemainder(unit);
        return new WindowLimit(
                positive(leak.divide(unit)),
                exact(rounded[0].add(BigInteger.valueOf(rounded[1].signum()))),
                exact(limit));
    }

    /**
     * Rounded up, which is exact for times in whole microseconds.
     *
     * @throws ArithmeticException if it needs more than 52 bits
     */
    static long micros(Duration period) {
        return exact((period.toNanos() - 1) / MICRO.longValue() + 1);
    }

    private static BigInteger interval(long permits, Duration period) {
        return BigInteger.valueOf((period.toNanos() - 1) / permits + 1);
    }

    private static BigInteger nanos(Duration duration) {
        return BigInteger.valueOf(duration.toNanos());
    }

    private static long positive(BigInteger value) {
        if (value.signum() == 0) {
            throw new ArithmeticException("rounded to zero");
        }
        return exact(value);
    }

    private static long exact(BigInteger value) {
        if (value.compareTo(MOST) > 0) {
            throw new ArithmeticException("more than 2^52");
        }
        return value.longValueExact();
    }

    private static long exact(long value) {
        return exact(BigInteger.valueOf(value));
    }
}
