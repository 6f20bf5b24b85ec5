package dev.weir.adaptive.controller;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;
import dev.weir.internal.Require;
import java.util.Objects;
import java.util.Set;

/**
 * A PID controller that holds the delay of a queue at a target: more delay lowers the limit, less raises it. In the
 * velocity form, on the delay measured in targets, {@code y = min(10, delay / target)}, with {@code dt} the length of the
 * window in seconds, at most 2:
 *
 * <pre>{@code
 * change = - kp * (y - y')                          acts against a change of the delay at once
 *          + ki * dt * (1 - y)                      acts as long as the delay is off its target
 *          - kd * ((y - y') / dt - (y' - y'') / dt')   acts against a delay that changes faster and faster
 * limit  = limit' * (1 + max(-0.3, min(0.1, change)))
 * }</pre>
 *
 * {@code kp} is the relative change of the limit for a change of the delay by one target; {@code ki} that for each second
 * in which the delay is one target off; {@code kd}, in seconds, that for each change by one target a second in how fast
 * the delay moves. All but the integral part depend on the measurement alone, so a new target causes no jump.
 *
 * <p>The integral is the limit itself, after clamping: what the bounds cut off is not stored, so there is no integral windup.
 * Fractions of a limit are stored, unless something else set the limit. It grows only if there was demand. Without a usable
 * reading (none, not finite, negative) the limit stays for 5 windows, then is lowered by 5 % a window to the safe limit;
 * after that only the integral part acts on the first reading. Source: Astrom and Hagglund, Advanced PID Control, on
 * digital implementation. Not thread-safe except {@link #why()}, which any thread may call.
 */
public final class QueueDelayPid implements Controller {
    private static final double MAX_TARGETS = 10;
    private static final double LONGEST_SECONDS = 2;
    private static final double MAX_DOWN = -0.3;
    private static final double MAX_UP = 0.1;
    private static final int KEPT_WINDOWS = 5;
    private static final double MAX_GAIN = 1e6;

    private final String signal;
    private final double target;
    private final Gains gains;
    private final SignalLoss loss;
    private volatile String why = "queue delay pid: nothing yet";
    private double before = Double.NaN;
    private double speedBefore = Double.NaN;
    private long answered;
    private double fraction;

    /**
     * The gains of the three parts.
     *
     * @param proportional {@code kp}, at least 0
     * @param integral {@code ki}, per second, more than 0
     * @param derivative {@code kd}, in seconds, at least 0
     */
    public record Gains(double proportional, double integral, double derivative) {
        /** Stable where 1 % more limit means up to a tenth of a target more delay, in windows of up to a second. */
        public static final Gains USUAL = new Gains(0.04, 0.08, 0);

        /**
         * @throws IllegalArgumentException if one is out of its range or more than 1e6
         */
        public Gains {
            check(proportional, "proportional");
            check(derivative, "derivative");
            check(integral, "integral");
            Require.that(integral > 0, "integral must be > 0", integral);
        }

        private static void check(double gain, String name) {
            Require.that(gain >= 0 && gain <= MAX_GAIN, name + " must be within 0 and " + MAX_GAIN, gain);
        }
    }

    /**
     * Holds this signal, in seconds, at this target, in seconds, with {@link Gains#USUAL} and a safe limit of 1.
     *
     * @throws IllegalArgumentException if the target is not more than 0
     */
    public QueueDelayPid(String signal, double target) {
        this(signal, target, Gains.USUAL, 1);
    }

    /**
     * Holds a signal in seconds at a target.
     *
     * @param target the delay to hold, in seconds, more than 0
     * @param gains how strongly it acts
     * @param safe the limit that is safe without any reading, at least 1
     * @throws IllegalArgumentException if the target is not more than 0, or the safe limit less than 1
     */
    public QueueDelayPid(String signal, double target, Gains gains, long safe) {
        Require.that(target > 0 && Double.isFinite(target), "target must be > 0", target);
        Require.that(safe >= 1, "safe must be >= 1", safe);
        this.signal = Objects.requireNonNull(signal, "signal");
        this.target = target;
        this.gains = Objects.requireNonNull(gains, "gains");
        this.loss = new SignalLoss(signal, safe, KEPT_WINDOWS);
    }

    @Override
    public long next(Window window, long limit) {
        if (window.idle()) {
            forget();
            why = "queue delay pid: idle";
            return limit;
        }
        double delay = loss.reading(window);
        if (Double.isNaN(delay)) {
            forget();
            why = "queue delay pid: " + loss.why(limit);
            return loss.next(limit);
        }
        double change = change(Math.min(MAX_TARGETS, delay / target), Math.min(LONGEST_SECONDS, window.nanos() / 1e9));
        String seen = "queue delay pid: " + signal + " " + SignalLoss.text(delay / target) + " of target";
        if (change > 0 && !window.hasDemand()) {
            why = seen + ", no demand";
            return limit;
        }
        why = seen;
        return moved(limit, 1 + Math.max(MAX_DOWN, Math.min(MAX_UP, change)));
    }

    private void forget() {
        before = Double.NaN;
        speedBefore = Double.NaN;
    }

    private double change(double y, double dt) {
        double rise = Double.isNaN(before) ? 0 : y - before;
        double speed = Double.isNaN(before) ? Double.NaN : rise / dt;
        double faster = Double.isNaN(speedBefore) ? 0 : speed - speedBefore;
        before = y;
        speedBefore = speed;
        return -gains.proportional * rise + gains.integral * dt * (1 - y) - gains.derivative * faster;
    }

    private long moved(long limit, double factor) {
        double exact = (limit == answered ? limit + fraction : limit) * factor;
        answered = Math.max(1, Math.round(exact));
        fraction = Math.max(-0.5, Math.min(0.5, exact - answered));
        return answered;
    }

    @Override
    public Set<String> signals() {
        return Set.of(signal);
    }

    @Override
    public String why() {
        return why;
    }
}
