package dev.weir.adaptive;

import java.util.Locale;

/** The default controller. */
public final class Crest implements Controller {
    static double p(String name, double usual) {
        String v = System.getProperty(name);
        return v == null ? usual : Double.parseDouble(v);
    }

    private static final double POW = p("pow", 2), EARLY = p("early", 3.5), RZ = p("rz", 3.5), HM = p("hm", 2), SAME = p("same", 2), HMAX = p("hmax", 8), RAMPN = p("rampn", 24), PROBEN = p("proben", 120), HEAD = p("head", 2), LUSUAL = p("l", 0.98), LSTEP = p("lstep", 0.85), EDEEP = p("edeep", 0.1), MINEARLY = p("minearly", 24), CHANGE = p("change", 3.5), BMAX = p("bmax", 3), HINT = p("hint", 2), FELLAT = p("fellat", 16), FELL = p("fell", 8), PATIENCE = p("patience", 1);
    private int undrained;

    private enum Phase {
        CALM,
        RAMP,
        HIGH,
        LOW
    }

    private static final double START = 4;
    private static final long MILLI = 1_000_000;
    private static final long BASELINE = 20_000 * MILLI;

    private Phase phase = Phase.CALM;
    private boolean settling;
    private double knee;
    private double kneeBefore;
    private boolean promoted;
    private boolean everRamped;
    private double burst = 1;
    private double depth = 0.98;
    private boolean hinted;
    private int highs = 1;
    private Sum high = Sum.NONE;
    private Sum before = Sum.NONE;
    private double latency;
    private double variation = 1;
    private double baseline;
    private double baselineBefore;
    private long baselineAge;
    private long answered;
    private volatile String why = "crest: nothing yet";

    /** Throughput measured at a limit. */
    private record Sum(double limit, double done, double nanos, int windows, double latency) {
        static final Sum NONE = new Sum(0, 0, 0, 0, 0);

        double rate() {
            return done / nanos;
        }

        Sum plus(Sum o) {
            double d = done + o.done;
            return new Sum(o.limit, d, nanos + o.nanos, windows + o.windows, d == 0 ? 0 : (latency * done + o.latency * o.done) / d);
        }
    }

    /** With its usual constants. */
    public Crest() {}

    @Override
    public boolean enough(Window w) {
        double lat = latencyOf(w);
        double r = Math.max(latency, lat);
        if (late(w) >= 8 && late(w) > 0.7 * (w.completed() + late(w))) {
            return true;
        }
        if (settling) {
            return w.nanos() >= r;
        }
        if (phase == Phase.CALM) {
            return w.nanos() >= Math.max(100 * MILLI, 2 * r);
        }
        double done = w.completed() + w.dropped();
        double cv = Math.max(0.5, Math.min(variation, 8));
        if (w.nanos() >= Math.max(3000 * MILLI, 12 * r)) {
            return true;
        }
        if (phase == Phase.RAMP) {
            return done >= RAMPN * Math.max(1, cv) && w.nanos() >= Math.max(r, 10 * MILLI);
        }
        if (w.nanos() < Math.max(50 * MILLI, 2 * r)) {
            return false;
        }
        if (done >= PROBEN * cv) {
            return true;
        }
        if (phase == Phase.LOW && done >= MINEARLY) {
            double s = StrictMath.sqrt(cv * (1 / done + 1 / high.done));
            return StrictMath.log(high.rate() / (done / w.nanos())) > EARLY * s;
        }
        return false;
    }

    /** what X would lose by the mere ratio of limits is expected below the knee. */
    private double gap() {
        return 0;
    }

    private static double late(Window w) {
        return w.dropped() + w.overdue();
    }

    private static double latencyOf(Window w) {
        return w.latencies().plus(w.older()).mean();
    }

    private void learnLatency(Window w) {
        Latencies all = w.latencies().plus(w.older());
        if (all.count() == 0) {
            return;
        }
        if (all.count() >= 10 || latency == 0) {
            latency = all.mean();
        }
        if (all.count() >= 10) {
            double weight = Math.min(0.5, all.count() / 200.0);
            variation += weight * (Math.min(all.variation(), 16) - variation);
        }
        if (all.count() >= 30 && !settling) {
            double mean = all.mean();
            baseline = baseline == 0 ? mean : Math.min(baseline, mean);
        }
        baselineAge += w.nanos();
        if (baselineAge > BASELINE) {
            baselineAge = 0;
            baselineBefore = baseline;
            baseline = 0;
        }
    }

    private double baseline() {
        if (baseline == 0) {
            return baselineBefore;
        }
        return baselineBefore == 0 ? baseline : Math.min(baseline, baselineBefore);
    }

    static double top(double knee) {
        return Math.max(1.25 * knee, knee + HEAD * StrictMath.sqrt(knee));
    }

    static double inverseTop(double limit) {
        double root = StrictMath.sqrt(1 + limit) - 1;
        return limit >= 80 ? limit / 1.25 : root * root;
    }

    @Override
    public long next(Window w, long limit) {
        if (knee == 0) {
            knee = inverseTop(limit);
            answered = limit;
        }
        if (limit < answered) {
            knee = Math.min(knee, limit);
        } else if (limit > answered) {
            knee = Math.max(knee, inverseTop(limit));
        }
        double asked = judged(w, limit);
        knee = Math.max(1, Math.min(knee, 1e9));
        answered = Math.max(1, Math.round(Math.min(asked, 1e9)));
        return answered;
    }

    private double judged(Window w, long limit) {
        double ended = w.completed() + late(w);
        if (ended == 0 && w.refused() == 0 && w.waiting() == 0) {
            return limit;
        }
        learnLatency(w);
        if (late(w) > 0.1 * ended && late(w) >= 3 && !(settling && late(w) < 0.7 * ended)) {
            return panic(w, ended);
        }
        if (settling) {
            settling = false;
            return limit;
        }
        return switch (phase) {
            case CALM -> calm(w, limit);
            case RAMP -> ramp(w, limit);
            case HIGH -> high(w, limit);
            case LOW -> low(w, limit);
        };
    }

    private double panic(Window w, double ended) {
        double least = Math.min(knee * (late(w) > 0.5 * ended ? 0.7 : 0.85), w.completed() == 0 || baseline() == 0 ? 1e9 : 1.2 * (w.completed() + w.dropped()) / w.nanos() * baseline());
        knee = Math.max(0.3 * knee, least);
        return toHigh("late", 1);
    }

    private boolean pressed(Window w) {
        if (w.limit() >= FELLAT && w.leastInFlight() <= w.limit() / FELL) {
            return false;
        }
        return share(w) > 0.02 || w.waiting() > 0;
    }

    private static double share(Window w) {
        return w.refused() == 0 ? 0 : (double) w.refused() / (w.refused() + w.admitted());
    }

    private double calm(Window w, long limit) {
        boolean drained = w.mostInFlight() == 0 ? share(w) <= 0.01 : w.leastInFlight() <= 0.9 * knee;
        if (drained) {
            burst = Math.min(BMAX, burst * 1.3);
            undrained = 0;
        } else if (share(w) > 0.01 || w.waiting() > 0) {
            if (!everRamped) {
                everRamped = true;
                return toRamp(w, limit);
            }
            if (++undrained < PATIENCE) {
                return say("calm, pressed", limit);
            }
            promoted = true;
            kneeBefore = knee;
            knee = Math.max(knee, inverseTop(w.mostInFlight()));
            return toHigh("pressed", 1);
        }
        return say("calm", top(knee) * burst);
    }

    private double toRamp(Window w, long limit) {
        phase = Phase.RAMP;
        before = Sum.NONE;
        settling = true;
        return say("ramp", limit);
    }

    private double ramp(Window w, long limit) {
        Sum now = sum(w);
        if (!pressed(w)) {
            knee = Math.max(knee, before == Sum.NONE ? 0 : before.limit);
            return toCalm();
        }
        if (before == Sum.NONE || now.rate() > 1.45 * before.rate()) {
            before = now;
            settling = true;
            return say("ramp", 2.0 * limit);
        }
        knee = before.limit * Math.max(0.5, Math.min(now.rate() / before.rate(), 2));
        return toHigh("ramped", 1);
    }

    private Sum sum(Window w) {
        return new Sum(w.limit(), w.completed() + w.dropped(), w.nanos(), 1, latencyOf(w));
    }

    private double toCalm() {
        phase = Phase.CALM;
        settling = false;
        burst = 1;
        if (promoted) {
            knee = kneeBefore;
            promoted = false;
        }
        return say("calm", top(knee));
    }

    private double toHigh(String reason, int windows) {
        phase = Phase.HIGH;
        high = Sum.NONE;
        highs = windows;
        settling = true;
        burst = 1;
        undrained = 0;
        return say(reason, top(knee));
    }

    private double high(Window w, long limit) {
        if (!pressed(w)) {
            return toCalm();
        }
        Sum now = sum(w);
        boolean changed = high.done > 0 && now.done > 0 && Math.abs(StrictMath.log(now.rate() / high.rate())) > CHANGE * StrictMath.sqrt(Math.max(0.5, variation) * (1 / now.done + 1 / high.done));
        high = changed ? now : high.plus(now);
        if (high.windows < highs && !changed) {
            return limit;
        }
        hinted = false;
        double expected = HINT * top(knee) / knee * baseline();
        double l = depth;
        if (baseline() > 0 && high.latency > expected) {
            double hint = 1.1 * high.rate() * baseline() / knee;
            if (hint < l) {
                l = Math.max(0.3, hint);
                hinted = true;
            }
        }
        phase = Phase.LOW;
        settling = true;
        return say("probe below", l * knee);
    }

    private double low(Window w, long limit) {
        if (!pressed(w)) {
            return toCalm();
        }
        Sum low = sum(w);
        if (low.done == 0 || high.done == 0 || high.limit <= low.limit) {
            return toHigh("no contrast", highs);
        }
        promoted = false;
        double cv = Math.max(0.5, Math.min(variation, 8));
        double ratio = high.rate() / low.rate();
        double s2 = cv * (1 / low.done + 1 / high.done);
        double d = StrictMath.log(low.limit * ratio / knee);
        double e = StrictMath.log(ratio) / StrictMath.log(high.limit / low.limit);
        boolean significant = StrictMath.log(ratio) > 2 * StrictMath.sqrt(s2);
        boolean clear = StrictMath.log(ratio) > RZ * StrictMath.sqrt(s2);
        if (hinted && significant) {
            baseline = low.latency;
            baselineBefore = low.latency;
            baselineAge = 0;
        }
        if (e > 0.6 && clear) {
            depth = 0.98;
            knee = Math.max(knee, Math.min(low.limit * ratio, high.limit));
            return toRamp(w, (long) high.limit);
        }
        double dp = StrictMath.pow(Math.abs(d), POW);
        double move = d * dp / (dp + StrictMath.pow(s2, POW / 2));
        knee *= StrictMath.exp(Math.max(-1.2, Math.min(move, 0.8)));
        depth = e < EDEEP ? Math.max(0.5, depth * LSTEP) : LUSUAL;
        boolean same = d * d < SAME * SAME * s2;
        return toHigh(String.format(Locale.ROOT, "elasticity %.2f", e), same ? (int) Math.min(HMAX, Math.ceil(highs * HM)) : 1);
    }

    private double say(String rule, double limit) {
        why = "crest: " + rule;
        return limit;
    }

    @Override
    public String why() {
        return why;
    }
}
