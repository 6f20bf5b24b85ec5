package dev.weir.adaptive.controller;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The default controller: it finds the <em>knee</em> of a service, the smallest concurrency (or rate) that gives the full
 * throughput. It changes the limit a little, and measures how the throughput changes. Below the knee throughput follows the
 * limit, above it does not. Latency alone cannot show this: at a limit that binds, latency is proportional to the limit, on a
 * server of two workers and on one of two hundred (Little's law, {@code N = X R}). Latency only suggests how far to lower the
 * limit in a probe.
 *
 * <p>Several instances before one server cannot see this by themselves: what one gives up, another takes. So all lower their
 * limits at the same moments of the time of day, for a short time; what they measure then bounds what is in flight. That needs
 * clocks that agree to within some 50 ms (NTP). It costs an only instance one to two per cent of its goodput; {@link #alone()}
 * is without it.
 *
 * <pre>{@code
 * AdaptiveControl control = AdaptiveControl.builder(limiter, new Crest())
 *         .bounds(Bounds.of(1, 500))
 *         .onAdjustment(change -> log(change.from() + " to " + change.to() + ", " + change.why()))
 *         .build();
 * }</pre>
 *
 * <p>The limit <em>binds</em> if requests are refused, or wait, because of it. While it does not bind, there are no probes, and
 * bursts are admitted. No configuration is needed; the first limit is a first guess. It suits everything that has a maximum
 * throughput: CPU, pools, dependencies, locks. Probes cost one to four per cent of the goodput. Requests do not wait: put an
 * admission queue before the limiter for that. {@code docs/how/crest.md} derives it.
 *
 * <p>One thread at a time calls it, as {@link Controller} says; any may call {@link #why()}.
 */
public final class Crest implements Controller {
    /*
     * CALM    the limit does not bind; it is high enough for bursts
     * RAMP    the limit is doubled as long as throughput grows with it
     * HIGH    the limit is above the knee, for as many windows as nothing changes, eight at most
     * LOW     the limit is just below the knee, or where latency hints, for one window
     *
     *     CALM --it binds, at first--> RAMP --stopped growing--> HIGH <------> LOW
     *       |                          ^                                      ^ |
     *       |                          +-----------clearly below--------------|-+
     *       +-----------it binds later: its windows were the high ones--------+
     *
     *     and from any of the others to CALM when demand falls. CALM ends only if the limit bound in three windows in a
     *     row and the number in flight never drained. A joint dip may come in each phase, which goes on afterwards unless
     *     the dip has shown a queue (HIGH), or that throughput follows the limit (RAMP).
     *
     * After each change of the limit one mean latency passes first, so that what is measured began under the new limit or
     * found the server as the new limit made it: `settling`.
     */
    private enum Phase {
        CALM,
        RAMP,
        HIGH,
        LOW
    }

    private static final double DEPTH = 0.98;
    private static final double DEEPEST = 0.3;
    private static final double CUT = 0.7;
    private static final double BURST = 3;
    private static final double SHALLOW = 0.8;
    private static final double LEAST_DIP = 0.2;
    private static final double FIRST_DIP = 0.25;
    private static final String DIP_QUEUE = "joint dip: a queue";
    /* Less is too small to measure. */
    private static final int FIRST = 8;
    private static final int MAX_HIGHS = 8;
    private static final int BINDING_WINDOWS = 3;

    private final LatencyBaseline latencies = new LatencyBaseline();
    private final LongCalls longCalls = new LongCalls();
    private final CongestionDetector congestion = new CongestionDetector();
    private final Cut cut = new Cut();
    private final Ceiling ceiling = new Ceiling();
    private final WindowLength length = new WindowLength(latencies);
    private final LittleBound bound = new LittleBound(latencies);
    private final JointDip dip = new JointDip();
    private final FirstLimit first = new FirstLimit();
    private final boolean joint;
    private @Nullable Window pending;
    private long limitBefore;
    private double kneeBeforeCut;
    private Phase phase = Phase.CALM;
    private boolean settling;
    private boolean known;
    private boolean moving;
    private boolean hinted;
    private boolean queued;
    private double knee;
    private double kneeBefore;
    private double restored; // the knee; 0 if none
    private int undrained;
    private int highs = 1;
    private double growth; // summed over successive probes that all showed a higher knee
    private double growthError;
    private Throughput high = Throughput.NONE;
    private Throughput below = Throughput.NONE; // the last one at a lower limit
    private boolean unproven; // the unloaded latency: all that was measured may have been under load
    private long leastInFlight;
    private boolean dipped;
    private boolean queueSeen; // in the last dip
    private double queue; // in flight before the last dip, to what was being served; 0 before the first
    private long returned;
    private volatile String why = "crest: nothing seen yet";

    /** A controller for one limit, which may be one of several before the same server. */
    public Crest() {
        this(true);
    }

    private Crest(boolean joint) {
        this.joint = joint;
    }

    /** A controller for the only limit before a server. */
    public static Crest alone() {
        return new Crest(false);
    }

    @Override
    public boolean enough(Window window) {
        return (!dip.on() && longCalls.outgrowLimit(window)) || complete(after(pending, longCalls.without(window)));
    }

    private static Window after(@Nullable Window before, Window window) {
        return before == null ? window : before.plus(window);
    }

    private boolean complete(Window window) {
        if (moving) {
            return true;
        }
        if (dip.on()) {
            return dip.complete(window);
        }
        if (joint && dip.due(window, length.latency(window))) {
            return true;
        }
        if (settling) {
            return length.settled(window);
        }
        return switch (phase) {
            case CALM -> length.calm(window, known);
            case RAMP -> cut.onTrial() ? length.trial(window) : length.ramp(window, below);
            case HIGH -> cut.onTrial() ? length.trial(window) : length.high(window, below);
            case LOW -> cut.onTrial() ? length.trial(window) : length.low(window, high);
        };
    }

    @Override
    public long next(Window window, long limit) {
        long base = Math.max(1, limit - longCalls.count());
        Window others = after(pending, longCalls.learn(window));
        pending = others;
        if (anchored(base)) {
            return withLongCalls(returned);
        }
        returned = base;
        boolean due = joint && dip.due(others, length.latency(others));
        boolean dips = due && takesPart(others);
        if (due && !dips) {
            dip.skip(others, length.latency(others));
        }
        if (dips || complete(others)) {
            pending = null;
            boolean steady = !settling;
            double asked = dips
                    ? toDip(others, base)
                    : dip.on() ? inDip(others, base) : bounded(evaluate(others, base), others, base, steady);
            knee = Double.isNaN(knee) ? KneeLimit.knee((double) base) : Math.max(1, Math.min(knee, 1e9));
            asked = Math.min(asked, ceiling.limit());
            returned = Double.isNaN(asked) ? base : Math.max(1, Math.round(Math.min(asked, 1e9)));
        }
        limitBefore = base;
        moving = returned != base;
        return withLongCalls(returned);
    }

    private long withLongCalls(long base) {
        return base + Math.min(longCalls.count(), Long.MAX_VALUE - base);
    }

    /* The bounds, or something else, may have set another limit than the one returned. True while the limit moves to the latter
    step by step, as the bounds prescribe. */
    private boolean anchored(long limit) {
        moving = false;
        if (knee == 0) {
            double most = KneeLimit.knee((double) Math.max(first.wanted(), limit));
            knee = known ? Math.max(kneeInCalm(limit), Math.min(restored, most)) : most;
        } else if ((limit > returned && limit < limitBefore) || (limit < returned && limit > limitBefore)) {
            limitBefore = limit;
            moving = true;
            return true;
        } else if (limit != returned && limit < (dip.on() ? dip.before().limit() : returned)) {
            knee = Math.min(knee, isCalm() ? kneeInCalm(limit) : limit);
            kneeBeforeCut = Math.min(kneeBeforeCut, knee);
            kneeBefore = Math.min(kneeBefore, knee);
            first.want(limit);
            dip.abandon();
        } else if (limit > returned) {
            knee = Math.max(knee, isCalm() ? kneeInCalm(limit) : KneeLimit.knee((double) limit));
            first.want(limit);
            dip.abandon();
        }
        return false;
    }

    private boolean isCalm() {
        return phase == Phase.CALM && known;
    }

    /* The knee for which this is the limit in calm: one that was set or restored does not grow without demand. */
    private double kneeInCalm(long limit) {
        return joint ? LittleBound.served((double) limit) : KneeLimit.knee(limit / BURST);
    }

    /* Whether this instance lowers its limit now: not if its calls do not wait, and not where the limit is a rate, or is not
    enforced. The trial of a cut is not interrupted: where dips are long it would never end. */
    private boolean takesPart(Window window) {
        boolean waits = bound.isExceeded(bound.last()) && leastInFlight > bound.served();
        boolean rests = dipped && !queueSeen && dip.rests(window, length.latency(window));
        return window.maxInFlight() > 0
                && window.passed() == 0
                && !cut.onTrial()
                && !rests
                && (phase != Phase.CALM || (known && waits));
    }

    private double toDip(Window window, long limit) {
        double inFlight = Math.min((double) limit, Demand.inFlight(window));
        double lowered = dipped ? Math.max(SHALLOW * bound.served(), LEAST_DIP * inFlight) : FIRST_DIP * inFlight;
        dipped = true;
        if (dip.takesHalf(length.latency(window))) {
            latencies.learn(window); // between dips, no window would be long enough
        }
        dip.begin(window, length.latency(window), limit, inFlight, bound.last());
        return explain(Math.floor(Math.max(1, Math.min((double) limit, lowered))), "joint dip");
    }

    private double inDip(Window window, long limit) {
        if (!dip.over()) {
            return (double) limit;
        }
        settling = true;
        double restoring = dip.before().limit();
        double inFlight = dip.before().inFlight();
        Throughput before = dip.before().throughput();
        if (dip.isStale(window) || dip.tooShort()) {
            return explain(restoring, "joint dip: not measured in time");
        }
        latencies.learnDip(window.latencies().plus(window.older()));
        double served = before.rate() * latencies.unloaded();
        queue = served > 0 ? inFlight / served : queue;
        queueSeen = served > 0 && inFlight > LittleBound.of(served);
        if (queueSeen) {
            knee = Math.max(1, KneeLimit.knee(LittleBound.of(served)));
            return phase == Phase.CALM ? explain(restoring, DIP_QUEUE) : toHigh(1, DIP_QUEUE);
        }
        Contrast contrast = new Contrast(before.under(restoring), Throughput.of(window), latencies.variation());
        if (phase != Phase.CALM && contrast.fallsWithLimit()) {
            return toRamp(restoring);
        }
        return explain(restoring, "joint dip: no queue");
    }

    /* The limit within the bound. */
    private double bounded(double asked, Window window, long limit, boolean steady) {
        leastInFlight = window.minInFlight();
        if (steady) {
            bound.add(Throughput.of(window));
        }
        if (!joint
                || window.epochMillis() <= 0
                || window.maxInFlight() <= 0
                || phase == Phase.CALM
                || !dip.isUsual(window)) {
            bound.rest();
            return asked;
        }
        double lowered = bound.lowered(window, limit, queueSeen);
        if (lowered < limit) {
            knee = Math.max(1, KneeLimit.knee(lowered));
            return toHigh(1, "more in flight than throughput needs");
        }
        return bound.raised(asked, limit);
    }

    private double evaluate(Window window, long limit) {
        if (window.completed() + window.dropped() == 0 && window.refused() == 0 && window.waiting() == 0) {
            return limit;
        }
        latencies.learn(window, !settling);
        cut.pass(window);
        ceiling.update(window, latencies.variation(), !settling);
        knee = Math.min(knee, KneeLimit.knee(ceiling.limit()));
        queued |= window.waiting() > 0;
        if (window.passed() > 0) {
            return dryRun(Throughput.of(window), limit, window.maxInFlight() <= 0);
        }
        if (settling && window.minInFlight() > limit) {
            return (double) limit; // calls from before the change are still in flight
        }
        Throughput now = Throughput.of(window);
        if (phase == Phase.CALM && !known) {
            boolean congested = window.maxInFlight() > 0 && first.congested(window);
            if (congested || (limit > FIRST && window.maxInFlight() > 0 && cut.losesTooMuch(now))) {
                return fall(congested);
            }
        } else if (phase == Phase.CALM && congestion.harmed(window, knee, latencies.variation())) {
            ceiling.suspect(congestion.best(), now.under(Demand.inFlight(window)));
            knee = atLeastFirst(congestion.rate() * latencies.unloaded());
            return toRamp(KneeLimit.of(knee));
        }
        Throughput seen = phase == Phase.HIGH && !settling ? high.plus(now) : now;
        if (!cut.onTrial() && (!settling || now.mostlyLost()) && cut.losesTooMuch(seen)) {
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

    /* Throughput does not follow a limit that is not enforced; Little's law says what it needs in flight. */
    private double dryRun(Throughput now, long limit, boolean isRate) {
        settling = false;
        if (now.done() == 0 || latencies.unloaded() == 0 || isRate) {
            return (double) limit;
        }
        toCalm();
        known = true;
        knee = Math.max(1, now.rate() * latencies.unloaded());
        return explain(KneeLimit.of(knee), "not enforced, so estimated by the least latency");
    }

    /* Calls are lost: perhaps the limit is too high, whatever the throughput. */
    private double cut(Window window, long limit, Throughput seen) {
        double used = window.maxInFlight() <= 0 ? limit : Math.min(limit, window.maxInFlight());
        cut.begin(seen.under(used));
        kneeBeforeCut = phase == Phase.RAMP ? Math.max(knee, KneeLimit.knee((double) limit)) : knee;
        double binding = Math.min(kneeBeforeCut, KneeLimit.knee(used));
        double less = binding * CUT;
        double bearable = window.maxInFlight() == 0 ? 0 : 1.2 * seen.rate() * latencies.unloaded();
        knee = Math.max(1, Math.max(0.3 * binding, bearable > 0 ? Math.min(less, bearable) : less));
        return toHigh(1, String.format(Locale.ROOT, "%.0f of %.0f lost", seen.lost(), seen.done() + seen.lost()));
    }

    private double cutTried(Window window, long limit) {
        Throughput now = Throughput.of(window);
        if (cut.helped(now, window.minInFlight() > now.allRate() * latencies.unloaded())) {
            return Demand.bindsThroughout(window) ? high(window, limit) : toCalm();
        }
        knee = kneeBeforeCut;
        return toHigh(1, "the cut cured nothing");
    }

    @Override
    public long start(long limit) {
        first.want(limit);
        return known ? limit : first.start();
    }

    /* The first limit was too high; by Little's law, the number in flight at the best rate so far is not. Where the server is
    shared, the calls of others have lengthened all but the first latencies, which are too small rather than too large. */
    private double fall(boolean congested) {
        double least = first.least();
        double unloaded = joint && latencies.unloaded() > 0 ? Math.min(latencies.unloaded(), least) : least;
        latencies.unloaded(congested ? unloaded : 0);
        knee = atLeastFirst(first.served(unloaded));
        return known(KneeLimit.of(knee));
    }

    /* The first limit binds: it is doubled as long as throughput grows. Of the first calls only the shortest have ended. */
    private double rise(long limit) {
        latencies.unloaded(0);
        knee = KneeLimit.knee((double) limit);
        return known((double) limit);
    }

    /* The first limit was enough for long, and what has come since is more: it is doubled from what was enough. */
    private double overrun() {
        latencies.unloaded(0);
        knee = atLeastFirst(first.most());
        return known(KneeLimit.of(knee));
    }

    private double known(double limit) {
        known = true;
        unproven = !joint && first.wanted() > FIRST;
        return toRamp(limit);
    }

    private double atLeastFirst(double served) {
        return Math.max(KneeLimit.knee((double) FIRST), Math.min(knee, served));
    }

    private double calm(Window window, long limit) {
        if (!known && limit < first.wanted()) {
            return explain(first.next(window, limit), "opens to the first limit");
        }
        if (Demand.drained(window, knee)) {
            knee = Math.max(knee, Throughput.of(window).rate() * latencies.unloaded());
            undrained = 0;
            first.quiet(window, latencies.mean());
        } else if (Demand.binds(window)) {
            if (!known) {
                return first.most() > 0 ? overrun() : rise(limit);
            }
            high = undrained == 0 ? Throughput.of(window) : high.plus(Throughput.of(window));
            if (++undrained < BINDING_WINDOWS) {
                return explain((double) limit, "the limit binds, perhaps for a moment");
            }
            kneeBefore = knee;
            knee = Math.max(knee, KneeLimit.knee((double) window.maxInFlight()));
            below = congestion.best();
            undrained = 0;
            highs = 1;
            return queued ? toHigh(1, "the limit binds") : toLow();
        }
        return explain(
                known ? (joint ? LittleBound.of(knee) : BURST * KneeLimit.of(knee)) : KneeLimit.of(knee), "calm");
    }

    private double toRamp(double limit) {
        phase = Phase.RAMP;
        below = Throughput.NONE;
        settling = true;
        return explain(limit, "looks how far throughput grows");
    }

    private double ramp(Window window, long limit) {
        Throughput now = Throughput.of(window);
        if (!Demand.bindsThroughout(window)) {
            knee = Math.max(knee, Math.max(below.limit(), KneeLimit.knee((double) window.maxInFlight())));
            return toCalm();
        }
        if (now.done() <= 0) {
            return explain((double) limit, "nothing came out");
        }
        if (below == Throughput.NONE || now.over(below) > Throughput.DOUBLING) {
            if (limit >= Math.floor(ceiling.limit())) {
                knee = KneeLimit.knee((double) limit);
                return toHigh(1, "more does harm");
            }
            below = window.maxInFlight() > 0 && latencies.unloaded() > 0
                    ? now.atMost(limit / latencies.unloaded())
                    : now;
            settling = true;
            return explain(2.0 * limit, String.format(Locale.ROOT, "throughput grows, %.0f/s", now.rate() * 1e9));
        }
        if (now.worse(below, latencies.variation())) {
            ceiling.suspect(below, now);
        }
        knee = below.limit() * Math.max(0.5, Math.min(now.rate() / below.rate(), 2));
        return toHigh(1, String.format(Locale.ROOT, "throughput stopped growing, %.0f/s", now.rate() * 1e9));
    }

    private double toCalm() {
        phase = Phase.CALM;
        congestion.restart(below);
        if (kneeBefore > 0) {
            knee = kneeBefore;
            kneeBefore = 0;
        }
        return explain(KneeLimit.of(knee), "demand fell");
    }

    private double toHigh(int windows, String rule) {
        phase = Phase.HIGH;
        high = Throughput.NONE;
        highs = windows;
        settling = true;
        undrained = 0;
        return explain(KneeLimit.of(knee), rule);
    }

    private double high(Window window, long limit) {
        if (!Demand.bindsThroughout(window)) {
            return toCalm();
        }
        Throughput now = Throughput.of(window);
        boolean changed = now.differs(high, latencies.variation());
        high = changed ? now : high.plus(now);
        if (high.windows() < highs && !changed) {
            return limit;
        }
        return toLow();
    }

    private double toLow() {
        unproven |= !joint && latencies.unproven();
        double hint = unproven ? 0 : 1.1 * high.rate() * latencies.unloaded() / knee;
        hinted = unproven
                || (latencies.unloaded() > 0
                        && high.latency() > 2 * KneeLimit.of(knee) / knee * latencies.unloaded()
                        && hint < DEPTH);
        unproven = false;
        phase = Phase.LOW;
        settling = true;
        double share = hinted ? Math.max(DEEPEST, hint) : DEPTH;
        return explain(share * knee, String.format(Locale.ROOT, "probes below, %.0f/s above", high.rate() * 1e9));
    }

    private double low(Window window) {
        if (!Demand.bindsThroughout(window)) {
            return toCalm();
        }
        Throughput low = Throughput.of(window);
        if (low.done() == 0 || high.done() == 0 || high.limit() <= low.limit()) {
            return toHigh(highs, "no contrast to learn from");
        }
        kneeBefore = 0;
        below = low;
        Contrast contrast = new Contrast(high, low, latencies.variation());
        if (!joint && hinted && contrast.growth() > 2 * contrast.error()) {
            latencies.unloaded(low.latency());
        }
        if (growsClearly(contrast)) {
            growth = 0;
            if (high.limit() >= Math.floor(ceiling.limit())) {
                ceiling.raise();
            }
            knee = Math.max(knee, Math.min(low.limit() * StrictMath.exp(contrast.growth()), high.limit()));
            toRamp(high.limit());
            return explain(high.limit(), contrast.toString());
        }
        double distance = contrast.distance(knee);
        knee = contrast.corrected(knee);
        boolean capped = distance > 0 && high.limit() >= Math.floor(ceiling.limit());
        boolean same = capped || Math.abs(distance) < 2 * contrast.error();
        return toHigh(same ? Math.min(MAX_HIGHS, 2 * highs) : 1, contrast.toString());
    }

    /* Whether this probe and those before it, which all showed that the knee is higher, show it beyond doubt together. */
    private boolean growsClearly(Contrast contrast) {
        boolean elastic = contrast.elastic();
        growthError = elastic && growth > 0 ? StrictMath.hypot(growthError, contrast.error()) : contrast.error();
        growth = elastic ? growth + contrast.growth() : 0;
        return elastic && growth > Throughput.CLEAR * growthError;
    }

    private double explain(double limit, String rule) {
        String longOnes = longCalls.count() == 0 ? "" : "; long calls: " + longCalls.count();
        why = String.format(Locale.ROOT, "crest: %s, knee %.1f%s", rule, knee, longOnes);
        return limit;
    }

    @Override
    public String why() {
        return why;
    }

    @Override
    public Map<String, Double> learned() {
        if (knee == 0) {
            return Map.of();
        }
        return joint
                ? Map.of("knee", knee, "latency", latencies.unloaded(), "queue", queue)
                : Map.of("knee", knee, "latency", latencies.unloaded());
    }

    @Override
    public void restore(Map<String, Double> learned, double trust) {
        latencies.unloaded(RestoredValues.trust(trust) >= 0.5 ? RestoredValues.latency(learned, "latency") : 0);
        known = RestoredValues.trust(trust) >= 0.5 && learned.containsKey("knee");
        double saved = learned.getOrDefault("knee", 0.0);
        restored = saved > 0 ? saved : 0;
    }
}
