package dev.weir.adaptive.controller;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The default controller: it finds how much concurrency (or rate) a service can use by moving the limit a little and looking
 * at what throughput answers. Below the knee throughput follows the limit, above it does not; latency alone cannot tell,
 * for with the limit pinned latency is proportional to it on a server of two workers and of two hundred alike (Little's
 * law, {@code N = X R}). Latency only hints how deep to probe.
 *
 * <p>While the limit does not bind nothing is probed and bursts are let in. It needs no configuration; the limit it is given
 * to begin with is taken as a first guess. Right for whatever has a capacity: CPU, pools, dependencies, locks. It costs
 * one to four per cent of the goodput in probes, and it does not queue deeply: put an admission queue before the limiter
 * for that. {@code docs/crest.md} derives it.
 */
public final class Crest implements Controller {
    /*
     * CALM    the limit does not bind; it is top(K), times a burst factor that grows while what is inside drains by itself;
     *         it leaves for good cause only: pressed and never drained, three windows in a row
     * RAMP    the limit is doubled as long as throughput grows with it
     * HIGH    at top(K), as many windows as nothing changes, eight at most
     * LOW     one window at 0.98 K, or where latency hints: the two throughputs say where K is
     *
     *     CALM --pressed, at first--> RAMP --stopped growing--> HIGH <------> LOW
     *       |                          ^                                      ^ |
     *       |                          +-----------clearly below--------------|-+
     *       +------------pressed later: its windows were the high ones--------+
     *
     *     and from any of the others to CALM when demand falls
     *
     * After each change of the limit one mean latency is let pass, so that what is measured began under it or found the
     * server as the new limit made it. `settling` says so.
     */
    private enum Phase {
        CALM,
        RAMP,
        HIGH,
        LOW
    }

    private static final double MILLI = 1e6;
    private static final double PROBED = 120;
    private static final double HEADROOM = 1.8;
    private static final double DEPTH = 0.98;
    private static final double DEEPEST = 0.3;
    private static final double MOST_BURST = 4;
    private static final double MOST_SPILT = 0.2;
    private static final double CUT = 0.7;
    private static final double JUMP = 0.4;
    private static final double GROWTH = CongestionDetector.GROWTH * StrictMath.log(2);
    private static final int FIRST = 8;
    private static final int MOST_HIGHS = 8;
    private static final int PATIENCE = 3;
    private static final double LONGEST_LATENCY = 30_000 * MILLI;

    private final LatencyBaseline pace = new LatencyBaseline();
    private final LongCalls parking = new LongCalls();
    private final Occupancy occupancy = new Occupancy();
    private final CongestionDetector start = new CongestionDetector();
    private final Cut cut = new Cut();
    private final Ceiling ceiling = new Ceiling();
    private @Nullable Window gathered;
    private long limitBefore;
    private double uncut;
    private Phase phase = Phase.CALM;
    private boolean settling;
    private boolean known;
    private boolean moving;
    private boolean hinted;
    private boolean queued;
    private double knee;
    private double kneeBefore;
    private double burst = 1;
    private double proven;
    private int undrained;
    private int highs = 1;
    private double grown; // by probe after probe that all said that the knee is higher
    private double doubt;
    private Throughput high = Throughput.NONE;
    private Throughput below = Throughput.NONE; // the last one measured at a lower limit
    private long answered;
    private volatile String why = "crest: nothing seen yet";

    /** One for one limit. */
    public Crest() {}

    /** A first limit below eight is too small to learn from. */
    @Override
    public long start(long limit) {
        return Math.max(limit, FIRST);
    }

    @Override
    public boolean enough(Window window) {
        return parking.crowded(window) || complete(after(gathered, parking.without(window)));
    }

    private static Window after(@Nullable Window before, Window window) {
        return before == null ? window : before.plus(window);
    }

    private boolean complete(Window window) {
        if (moving || cut.urgent(Throughput.of(window))) {
            return true;
        }
        double latency = Math.min(
                LONGEST_LATENCY, Math.max(pace.mean(), Throughput.of(window).latency()));
        if (settling) {
            return window.nanos() >= latency;
        }
        if (phase == Phase.CALM) {
            double usual = known ? latency : pace.least();
            boolean counted = !known
                    && window.completed() + window.dropped() >= Throughput.FEW * pace.variation()
                    && window.nanos() >= usual;
            return counted || window.nanos() >= Math.max(100 * MILLI, 2 * usual);
        }
        return window.nanos() >= Math.max(3000 * MILLI, 12 * latency) || measured(window, latency);
    }

    private boolean measured(Window window, double latency) {
        Throughput now = Throughput.of(window);
        if (cut.onTrial()) {
            return now.done() + now.lost() >= PROBED * pace.variation() && now.nanos() >= 2 * latency;
        }
        if (phase != Phase.LOW && now.worse(below, pace.variation())) {
            return true;
        }
        if (phase == Phase.RAMP) {
            return now.done() >= Throughput.FEW * Math.max(1, pace.variation())
                    && now.nanos() >= Math.max(latency, 10 * MILLI)
                    && !undecided(now);
        }
        if (now.nanos() < Math.max(50 * MILLI, 2 * latency)) {
            return false;
        }
        boolean fallsClearly = phase == Phase.LOW
                && now.done() >= Throughput.FEW
                && high.over(now) > Throughput.CLEAR * high.error(now, pace.variation());
        return fallsClearly || now.done() >= PROBED * pace.variation();
    }

    /* Within one error of the growth that is asked for it could be either way; four times as many calls tell more. */
    private boolean undecided(Throughput now) {
        return below != Throughput.NONE
                && now.done() < 4 * Throughput.FEW * Math.max(1, pace.variation())
                && Math.abs(now.over(below) - GROWTH) < now.error(below, pace.variation());
    }

    @Override
    public long next(Window window, long limit) {
        long base = Math.max(1, limit - parking.parked());
        Window others = after(gathered, parking.learn(window));
        gathered = others;
        occupancy.pass(parking.parked(), window.nanos());
        if (anchored(base)) {
            return answer(answered);
        }
        answered = base;
        if (complete(others)) {
            gathered = null;
            double asked = judged(others, base);
            occupancy.window();
            knee = Double.isNaN(knee) ? inverseTop((double) base) : Math.max(1, Math.min(knee, 1e9));
            asked = Math.min(asked, ceiling.limit());
            answered = Double.isNaN(asked) ? base : Math.max(1, Math.round(Math.min(asked, 1e9)));
        }
        limitBefore = base;
        moving = answered != base;
        return answer(answered);
    }

    private long answer(long base) {
        return base + parking.parked();
    }

    /* The bounds, or another hand, may have put another limit in place of what was answered. True if it is on its way down
    there, as far as the bounds let it move at a time. */
    private boolean anchored(long limit) {
        moving = false;
        if (knee == 0) {
            knee = inverseTop((double) limit);
        } else if (limit > answered && limit < limitBefore) {
            limitBefore = limit;
            moving = true;
            return true;
        } else if (limit < answered) {
            knee = Math.min(knee, (double) limit);
        } else if (limit > answered) {
            knee = Math.max(knee, inverseTop((double) limit));
        }
        return false;
    }

    private double judged(Window window, long limit) {
        if (window.completed() + window.dropped() == 0 && window.refused() == 0 && window.waiting() == 0) {
            return limit;
        }
        pace.learn(window, !settling);
        cut.pass(window);
        ceiling.judge(window, pace.variation(), !settling);
        knee = Math.min(knee, inverseTop(ceiling.limit()));
        queued |= window.waiting() > 0;
        if (window.passed() > 0) {
            return dryRun(Throughput.of(window), limit);
        }
        if (settling && window.leastInFlight() > limit) {
            return (double) limit; // what came in before the cut is still going, late or not
        }
        if (phase == Phase.CALM && (known ? start.harmed(window, knee, pace.variation()) : start.congested(window))) {
            ceiling.suspect(start.best(), Throughput.of(window).under(CongestionDetector.inside(window)));
            return fromProven(window);
        }
        if (phase == Phase.CALM && known && start.stalled(window, knee)) {
            ceiling.suspect(start.best(), Throughput.of(window).under(CongestionDetector.inside(window)));
        }
        Throughput now = Throughput.of(window);
        Throughput seen = phase == Phase.HIGH && !settling ? high.plus(now) : now;
        if (!cut.onTrial() && (!settling || now.mostlyLost()) && cut.alarming(seen)) {
            return cut(window, limit, seen);
        }
        if (settling) {
            settling = false;
            return limit;
        }
        if (cut.onTrial()) {
            return cutTried(window, limit);
        }
        return switch (phase) {
            case CALM -> calm(window, limit);
            case RAMP -> ramp(window, limit);
            case HIGH -> high(window, limit);
            case LOW -> low(window);
        };
    }

    /* Throughput does not answer to a limit that is not enforced; what it needs in flight is known by Little's law. */
    private double dryRun(Throughput now, long limit) {
        settling = false;
        if (now.done() == 0 || pace.least() == 0) {
            return (double) limit;
        }
        toCalm();
        known = true;
        knee = Math.max(1, now.rate() * pace.least());
        return say(top(knee), "not enforced, so estimated by the least latency");
    }

    /* Callers give up: perhaps this is too much, whatever the throughput. */
    private double cut(Window window, long limit, Throughput seen) {
        double used = window.mostInFlight() <= 0 ? limit : Math.min(limit, window.mostInFlight());
        cut.begin(seen.under(used));
        uncut = phase == Phase.RAMP ? Math.max(knee, inverseTop((double) limit)) : knee;
        double binding = Math.min(uncut, inverseTop(used));
        double less = binding * CUT;
        double bearable = window.mostInFlight() == 0 ? 0 : 1.2 * seen.rate() * pace.least();
        knee = Math.max(1, Math.max(0.3 * binding, bearable > 0 ? Math.min(less, bearable) : less));
        return toHigh(1, String.format(Locale.ROOT, "%.0f of %.0f lost", seen.lost(), seen.done() + seen.lost()));
    }

    private double cutTried(Window window, long limit) {
        Throughput now = Throughput.of(window);
        if (cut.helped(now, window.leastInFlight() > now.allRate() * pace.least())) {
            return pressed(window) ? high(window, limit) : toCalm();
        }
        knee = uncut;
        return toHigh(1, "the cut cured nothing");
    }

    private double calm(Window window, long limit) {
        boolean drained = window.mostInFlight() == 0
                ? refused(window) <= 0.01
                : window.leastInFlight() <= 0.9 * knee && refused(window) <= MOST_SPILT;
        if (drained) {
            knee = Math.max(knee, Throughput.of(window).rate() * pace.least());
            burst = !known ? 1 : Math.min(MOST_BURST, burst * 1.3);
            proven = Math.max(proven, (double) window.mostInFlight());
            undrained = 0;
        } else if (refused(window) > 0.01 || window.waiting() > 0) {
            if (!known) {
                double first = fromProven(window);
                pace.leastIs(0); // where the limit binds at once only the short of the first calls have ended
                return first;
            }
            high = undrained == 0 ? Throughput.of(window) : high.plus(Throughput.of(window));
            if (++undrained < PATIENCE) {
                return say((double) limit, "pressed, perhaps for a moment");
            }
            kneeBefore = knee;
            knee = Math.max(knee, inverseTop((double) window.mostInFlight()));
            below = start.best();
            burst = 1;
            undrained = 0;
            highs = 1;
            return queued ? toHigh(1, "pressed") : toLow();
        }
        double most =
                window.mostInFlight() == 0 ? Double.MAX_VALUE : 2 * proven; // twice as many as have drained before
        return say(Math.max(top(knee), Math.min(top(knee) * burst, most)), "calm");
    }

    /* The first limit was a guess; what was needed before it was in doubt is none (Little's law). */
    private double fromProven(Window window) {
        knee = window.mostInFlight() == 0
                ? knee
                : Math.max(inverseTop((double) FIRST), Math.min(knee, start.rate() * pace.least()));
        known = true;
        proven = 0;
        return toRamp(top(knee));
    }

    private static double refused(Window window) {
        return window.refused() == 0 ? 0 : (double) window.refused() / (window.refused() + window.admitted());
    }

    /* Not if what is inside fell far below the limit meanwhile and few were refused: then only a part of the window was
    pressed. In flight alone does not tell: where arrivals come in lumps it touches zero under the heaviest load. */
    private static boolean pressed(Window window) {
        boolean fell = window.mostInFlight() > 0
                && window.limit() >= 16
                && window.leastInFlight() <= window.limit() / 8
                && refused(window) < 0.3;
        return !fell && (refused(window) > 0.02 || window.waiting() > 0);
    }

    private double toRamp(double limit) {
        phase = Phase.RAMP;
        below = Throughput.NONE;
        settling = true;
        return say(limit, "looks how far throughput grows");
    }

    private double ramp(Window window, long limit) {
        Throughput now = Throughput.of(window);
        if (!pressed(window)) {
            knee = Math.max(knee, Math.max(below.limit(), inverseTop((double) window.mostInFlight())));
            return toCalm();
        }
        if (now.done() <= 0) {
            return say((double) limit, "nothing came out");
        }
        if (below == Throughput.NONE || now.over(below) > GROWTH) {
            if (limit >= Math.floor(ceiling.limit())) {
                knee = inverseTop((double) limit);
                return toHigh(1, "more does harm");
            }
            below = window.mostInFlight() > 0 && pace.least() > 0 ? now.atMost(limit / pace.least()) : now;
            settling = true;
            return say(2.0 * limit, String.format(Locale.ROOT, "throughput grows, %.0f/s", now.rate() * 1e9));
        }
        if (now.worse(below, pace.variation())) {
            ceiling.suspect(below, now);
        }
        knee = below.limit() * Math.max(0.5, Math.min(now.rate() / below.rate(), 2));
        return toHigh(1, String.format(Locale.ROOT, "throughput stopped growing, %.0f/s", now.rate() * 1e9));
    }

    private double toCalm() {
        phase = Phase.CALM;
        start.again(below);
        burst = 1;
        if (kneeBefore > 0) {
            knee = kneeBefore;
            kneeBefore = 0;
        }
        return say(top(knee), "demand fell");
    }

    private double toHigh(int windows, String rule) {
        phase = Phase.HIGH;
        occupancy.probe();
        high = Throughput.NONE;
        highs = windows;
        settling = true;
        burst = 1;
        undrained = 0;
        return say(top(knee), rule);
    }

    private double high(Window window, long limit) {
        if (!pressed(window)) {
            return toCalm();
        }
        Throughput now = Throughput.of(window);
        occupancy.learn(now, pace.least());
        boolean changed = now.differs(high, pace.variation());
        if (changed && high != Throughput.NONE && now.over(high) > JUMP) {
            ceiling.lift();
            return toRamp(top(knee));
        }
        high = changed ? now : high.plus(now);
        if (high.windows() < highs && !changed) {
            return limit;
        }
        return toLow();
    }

    /* Where less comes out than was measured at a lower limit, down to that one. */
    private double toLow() {
        boolean harm = below.limit() < high.limit() && high.below(below, pace.variation(), Throughput.CLEAR);
        if (harm) {
            ceiling.suspect(below, high);
        }
        double hint = 1.1 * high.rate() * pace.least() / knee;
        hinted = pace.least() > 0 && high.latency() > 2 * top(knee) / knee * pace.least() && hint < DEPTH;
        phase = Phase.LOW;
        settling = true;
        double share = hinted ? Math.max(DEEPEST, hint) : harm ? Math.min(DEPTH, below.limit() / knee) : DEPTH;
        return say(share * knee, String.format(Locale.ROOT, "probes below, %.0f/s above", high.rate() * 1e9));
    }

    private double low(Window window) {
        if (!pressed(window)) {
            return toCalm();
        }
        Throughput low = Throughput.of(window);
        if (low.done() == 0 || high.done() == 0 || high.limit() <= low.limit()) {
            return toHigh(highs, "no contrast to learn from");
        }
        kneeBefore = 0;
        below = low;
        double growth = high.over(low);
        double error = high.error(low, pace.variation());
        double elasticity = growth / StrictMath.log(high.limit() / low.limit());
        if (hinted && growth > 2 * error) {
            pace.leastIs(low.latency());
        }
        String rule = String.format(
                Locale.ROOT, "elasticity %.2f, %.0f/s against %.0f/s", elasticity, high.rate() * 1e9, low.rate() * 1e9);
        boolean elastic = elasticity > 0.6;
        doubt = elastic && grown > 0 ? StrictMath.hypot(doubt, error) : error;
        grown = elastic ? grown + growth : 0;
        if (elastic && grown > Throughput.CLEAR * doubt) {
            grown = 0;
            knee = Math.max(knee, Math.min(low.limit() * StrictMath.exp(growth), high.limit()));
            toRamp(high.limit());
            return say(high.limit(), rule);
        }
        double distance = StrictMath.log(low.limit() / knee) + growth;
        double move = distance * distance * distance / (distance * distance + error * error);
        knee = Math.max(1, knee * StrictMath.exp(Math.max(-1.2, Math.min(move, 0.8))));
        boolean capped = distance > 0 && high.limit() >= Math.floor(ceiling.limit());
        boolean same = capped || Math.abs(distance) < 2 * error;
        return toHigh(same ? Math.min(MOST_HIGHS, 2 * highs) : 1, rule);
    }

    /** Room above the knee: a quarter, or for small ones what square-root staffing gives. */
    private static double top(double knee) {
        return Math.max(1.25 * knee, knee + HEADROOM * StrictMath.sqrt(knee));
    }

    private static double inverseTop(double limit) {
        double half = HEADROOM / 2;
        double root = StrictMath.sqrt(half * half + limit) - half;
        return Math.min(limit / 1.25, root * root);
    }

    private double say(double limit, String rule) {
        why = String.format(Locale.ROOT, "crest: %s, knee %.1f%s", rule, knee, longCalls());
        return limit;
    }

    private String longCalls() {
        String held = occupancy.held() ? ", and they hold workers" : "";
        return parking.parked() == 0 ? "" : "; long calls: " + parking.parked() + held;
    }

    @Override
    public String why() {
        return why;
    }

    @Override
    public Map<String, Double> learned() {
        return knee == 0 ? Map.of() : Map.of("knee", knee, "latency", pace.least());
    }

    @Override
    public void restore(Map<String, Double> learned, double trust) {
        pace.leastIs(RestoredValues.trust(trust) >= 0.5 ? RestoredValues.latency(learned, "latency") : 0);
        known = RestoredValues.trust(trust) >= 0.5 && learned.containsKey("knee");
    }
}
