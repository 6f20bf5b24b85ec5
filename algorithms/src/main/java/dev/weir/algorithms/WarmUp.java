package dev.weir.algorithms;

import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.math.BigInteger;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A limit that starts cold: it rises from a floor to the target's full limit over a period, in 256 steps, each taken
 * when somebody asks. It never falls on the way, is never below the floor nor below 1, and is the full limit when the
 * period has passed. The capacity of a bucket stays as it is, so that a batch is granted, cold or warm; where the limit
 * is also the largest request, a batch is told when the ramp will let it in. Limits are whole numbers, rounded up: for
 * a slow rate to start slower, say it by a longer period, 60 a minute instead of 1 a second.
 *
 * <p>While it is cold no refusal is for good unless the full limit would refuse too, and none waits for a release only
 * where a later step may help: such a refusal tells when to ask again.
 *
 * <p>{@link Strategy#limit()} is the limit in force now; {@code setLimit} turns the full one, {@link Strategy#target()}.
 *
 * <p>A change of specification keeps the progress of the ramp, as a part of the period. What was running without one
 * was warm, so wrapping it starts warm. It turns cold again only by idleness, if asked for: when a request comes after
 * nobody has asked or released anything for {@code coolAfterIdle} and nothing is in flight.
 *
 * @param target what warms up; its limit is the first one's if it is several
 * @param period from cold to full, 1 ns to 73 years
 * @param floorPercent the limit to start from, in per cent of the full one, rounded up: 1 to 100
 * @param curve how it rises
 * @param coolAfterIdle after how long unused it is cold again, 1 ns to 73 years; null = never
 */
public record WarmUp(
        StrategySpec target,
        Duration period,
        int floorPercent,
        Curve curve,
        @Nullable Duration coolAfterIdle) implements StrategySpec {
    /*
     * A step is taken under a short lock: first the limit is set, then `step` is published. An attempt reads `step`,
     * asks, and if it was refused reads `step` again. Has it moved, the refusal may be by a limit no longer in force:
     *
     *     attempt                          another
     *     read step 255
     *     ask: refused until a release
     *                                      full limit set; step := 256
     *     read step 256: ask again
     *
     * or it would wait for a release that need not come. Has it not moved, a later step is still to be taken, and the
     * answer is when. A refusal at the last step is by the full limit.
     *
     * A successor takes what is inside (`handOver`); from then on this ramp sets no limits, or a thread that slept here
     * could set one of the past.
     */

    /** How the limit rises from the floor, as a fraction of the full one, over the part of the period that has passed. */
    public enum Curve {
        /** By the same amount each time. */
        LINEAR {
            @Override
            double fraction(double floor, double part) {
                return floor + (1 - floor) * part;
            }
        },
        /** By the same factor each time. */
        EXPONENTIAL {
            @Override
            double fraction(double floor, double part) {
                return Math.pow(floor, 1 - part);
            }
        },
        /**
         * As Guava's {@code RateLimiter} of the same cold factor {@code c = 1 / floor} when it is kept busy: slowly at
         * first, fast at the end. There the interval between permits falls in proportion to the stored permits spent,
         * from {@code c} stable intervals to one: {@code I dI/dt = -(c^2 - 1) / 2W} in units of the stable interval, so
         * {@code I(t)^2 = c^2 - (c^2 - 1) t/W}, and the rate is {@code 1/I} (SmoothRateLimiter.SmoothWarmingUp; c = 3
         * there, that is a floor of 33 per cent).
         */
        GUAVA {
            @Override
            double fraction(double floor, double part) {
                double cold = 1 / floor;
                return 1 / Math.sqrt(cold * cold - (cold * cold - 1) * part);
            }
        };

        abstract double fraction(double floor, double part);
    }

    /** Checks the components. */
    public WarmUp {
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(curve, "curve");
        Check.nanos("period", period);
        Check.within("floorPercent", floorPercent, 1, 100);
        if (coolAfterIdle != null) {
            Check.nanos("coolAfterIdle", coolAfterIdle);
        }
    }

    /** A linear one from a third of the limit that never cools. */
    public static WarmUp of(StrategySpec target, Duration period) {
        return new WarmUp(target, period, 33, Curve.LINEAR, null);
    }

    @Override
    public Strategy create(Ticker ticker) {
        Strategy inner = target.create(ticker);
        return new Warming(this, new Ramp(this), inner, inner.target(), ticker, 0);
    }

    @Override
    public Strategy succeed(Strategy running, Ticker ticker) {
        if (!(running instanceof Warming warming)) {
            Strategy inner = target.succeed(running, ticker);
            return new Warming(this, new Ramp(this), inner, inner.target(), ticker, period.toNanos());
        }
        boolean sameRamp =
                new WarmUp(warming.spec.target, period, floorPercent, curve, coolAfterIdle).equals(warming.spec);
        Ramp next = sameRamp ? warming.ramp : new Ramp(this);
        long full = target.create(ticker).target();
        long passed = warming.passed(next);
        Strategy old = warming.handOver().get(0);
        try {
            Strategy inner = sized(next.limit(next.stepAt(passed), full)).succeed(old, ticker);
            return inner == old && sameRamp
                    ? warming.resumed(this, full)
                    : new Warming(this, next, inner, full, ticker, passed);
        } catch (Throwable t) {
            warming.resumed(warming.spec, warming.full);
            throw t;
        }
    }

    private StrategySpec sized(long limit) {
        return target instanceof Resizable resizable ? resizable.withLimit(limit) : target;
    }

    private static final class Warming implements Counting.Around {
        private final Ramp ramp;
        private final Strategy inner;
        private final Ticker ticker;
        private final long idleNanos;
        private volatile WarmUp spec;
        private volatile long full;
        private volatile long origin;
        private volatile long lastUsed;
        private volatile int step;
        private boolean handedOver;

        Warming(WarmUp spec, Ramp ramp, Strategy inner, long full, Ticker ticker, long passed) {
            this.spec = spec;
            this.ramp = ramp;
            this.inner = inner;
            this.full = full;
            this.ticker = ticker;
            this.idleNanos = spec.coolAfterIdle == null ? 0 : spec.coolAfterIdle.toNanos();
            this.lastUsed = ticker.read();
            this.origin = lastUsed - passed;
            take(ramp.stepAt(passed));
        }

        private void take(int next) {
            long limit = ramp.limit(next, full);
            if (inner.target() != limit) {
                inner.setLimit(limit);
            }
            step = next;
        }

        @Override
        public long acquire(Request request) {
            return acquire(inner, request);
        }

        long acquire(Strategy way, Request request) {
            for (; ; ) {
                int at = stepInForce();
                long answer = way.acquire(request);
                if (answer == GRANTED) {
                    return answer;
                }
                if (at == step) {
                    return at == Ramp.STEPS ? answer : whileCold(at, request, answer);
                }
            }
        }

        private int stepInForce() {
            int at = step;
            if (at == Ramp.STEPS && idleNanos == 0) {
                return at;
            }
            long now = ticker.read();
            long elapsed = now - origin;
            if (isIdle(now) || (at < Ramp.STEPS && (ramp.stepAt(elapsed) > at || elapsed < ramp.startOf(at)))) {
                move();
            } else {
                used(now);
            }
            return step;
        }

        private synchronized void move() {
            if (handedOver) {
                return;
            }
            long now = ticker.read();
            if (isIdle(now)) {
                origin = now;
                take(0);
            } else if (now - origin < ramp.startOf(step)) {
                origin = now - ramp.startOf(step); // the clock ran back
            } else {
                take(Math.max(step, ramp.stepAt(now - origin)));
            }
            used(now);
        }

        private boolean isIdle(long now) {
            return idleNanos > 0 && now - lastUsed >= idleNanos && inner.inFlight() == 0;
        }

        private void used(long now) {
            if (idleNanos > 0) {
                lastUsed = now;
            }
        }

        private long whileCold(int at, Request request, long answer) {
            if (answer < 0) {
                return fitsWhenWarm(request) ? untilLimit(at, request.permits()) : NEVER;
            }
            if (answer == UNTIL_RELEASE) {
                long needed = inner.inFlight() + request.permits();
                return needed > full ? UNTIL_RELEASE : untilLimit(at, needed);
            }
            return sooner(at, answer);
        }

        private boolean fitsWhenWarm(Request request) {
            Strategy warm = spec.target.create(ticker);
            warm.setLimit(full);
            return (warm.routes() ? warm.route(request) : warm).acquire(request) >= 0;
        }

        private long untilLimit(int at, long needed) {
            int next = at + 1;
            while (next < Ramp.STEPS && ramp.limit(next, full) < needed) {
                next++;
            }
            return Math.max(1, origin + ramp.startOf(next) - ticker.read());
        }

        /* How long something takes that would take so long at the present step, if each step is taken in time. */
        private long sooner(int at, long nanos) {
            long start = ticker.read() - origin;
            long passed = start;
            long left = nanos;
            for (int s = at; s < Ramp.STEPS; s++) {
                long here = Math.max(0, ramp.startOf(s + 1) - passed);
                if (left <= here) {
                    break;
                }
                passed += here;
                left = ramp.rescaled(left - here, s, s + 1, full);
            }
            return passed - start + left;
        }

        @Override
        public void release(Request request, Outcome outcome) {
            inner.release(request, outcome);
            released();
        }

        void released() {
            if (idleNanos > 0) {
                used(ticker.read());
            }
        }

        @Override
        public void refund(Request request, long grantedAt) {
            inner.refund(request, grantedAt);
        }

        @Override
        public boolean refunds() {
            return inner.refunds();
        }

        @Override
        public boolean explains() {
            return true;
        }

        @Override
        public Rejection.Reason reason(Request request, long answer) {
            return reason(inner, request, answer);
        }

        Rejection.Reason reason(Strategy way, Request request, long answer) {
            return way.reason(request, answer > 0 && way.holds() ? UNTIL_RELEASE : answer);
        }

        @Override
        public boolean routes() {
            return inner.routes();
        }

        @Override
        public Strategy route(Request request) {
            if (!inner.routes()) {
                return this;
            }
            Strategy way = inner.route(request);
            return step == Ramp.STEPS && idleNanos == 0 ? way : new Way(this, way);
        }

        @Override
        public long limit() {
            return inner.limit();
        }

        @Override
        public long target() {
            return full;
        }

        @Override
        public void setLimit(long limit) {
            spec.target.create(ticker).setLimit(limit); // so that it is refused now, not at the last step
            synchronized (this) {
                if (!handedOver) {
                    full = limit;
                    take(step);
                }
            }
        }

        @Override
        public long inFlight() {
            return inner.inFlight();
        }

        @Override
        public boolean holds() {
            return inner.holds();
        }

        /* In terms of the full limit: a successor starts with that. */
        @Override
        public long debtNanos() {
            return ramp.rescaled(inner.debtNanos(), step, Ramp.STEPS, full);
        }

        @Override
        public void owe(long nanos) {
            inner.owe(nanos);
        }

        @Override
        public Map<String, Long> details() {
            Map<String, Long> figures = new HashMap<>(inner.details());
            figures.put("warmUp.percent", ramp.limit(step, 100));
            return figures;
        }

        @Override
        public synchronized List<Strategy> handOver() {
            handedOver = true;
            return List.of(inner);
        }

        synchronized Warming resumed(WarmUp as, long limit) {
            handedOver = false;
            spec = as;
            full = limit;
            take(step == Ramp.STEPS ? Ramp.STEPS : Math.max(step, ramp.stepAt(ticker.read() - origin)));
            return this;
        }

        /** How much of another ramp's period has passed, in proportion. */
        synchronized long passed(Ramp other) {
            if (step == Ramp.STEPS) {
                return other.period;
            }
            long passed = Math.max(ramp.startOf(step), Math.min(ticker.read() - origin, ramp.period));
            return other.period == ramp.period
                    ? passed
                    : BigInteger.valueOf(passed)
                            .multiply(BigInteger.valueOf(other.period))
                            .divide(BigInteger.valueOf(ramp.period))
                            .longValue();
        }
    }

    /** The way of one request through what is inside, while it is cold. */
    private record Way(Warming warming, Strategy way) implements Strategy {
        @Override
        public long acquire(Request request) {
            return warming.acquire(way, request);
        }

        @Override
        public void release(Request request, Outcome outcome) {
            way.release(request, outcome);
            warming.released();
        }

        @Override
        public void refund(Request request, long grantedAt) {
            way.refund(request, grantedAt);
        }

        @Override
        public boolean refunds() {
            return way.refunds();
        }

        @Override
        public boolean explains() {
            return true;
        }

        @Override
        public Rejection.Reason reason(Request request, long answer) {
            return warming.reason(way, request, answer);
        }

        @Override
        public long limit() {
            return way.limit();
        }

        @Override
        public void setLimit(long limit) {
            warming.setLimit(limit);
        }

        @Override
        public long inFlight() {
            return warming.inFlight();
        }

        @Override
        public boolean holds() {
            return way.holds();
        }
    }
}
