package dev.weir.named.backend;

import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.ControlView;
import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Signal;
import dev.weir.adaptive.signal.Sensors;
import dev.weir.engine.ManagedLimiter;
import dev.weir.engine.Snapshot;
import dev.weir.named.plan.LimitPlan;
import dev.weir.queue.AdmissionQueue;
import dev.weir.spi.Registration;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The adaptive control of one limiter, as the document describes it. Changed by one thread at a time; read by any. */
final class AdaptivePart {
    private static final String PREFIX = "adaptive.";
    private static final String ENDED = "no adaptive control";
    private static final double NANOS_PER_SECOND = 1e9;

    private final ManagedLimiter limiter;
    private final Environment environment;
    private final Supplier<@Nullable AdmissionQueue> queue;
    /* A reader may get one that was just closed. */
    private volatile @Nullable AdaptiveControl control;
    private @Nullable Sensors sensors;
    private @Nullable Registration ticking;
    private LimitPlan.@Nullable Adaptive applied;
    private Map<String, String> settings = Map.of();
    private boolean adapted;
    private @Nullable Passed passed;

    /**
     * A limit that the control has set of a part that the next specification has elsewhere: in force again if the limiter does not
     * get that one. What the control has learned is there if it has ended for that.
     */
    private record Passed(StrategySpec part, long limit, String why, Map<String, Double> learned) {}

    AdaptivePart(ManagedLimiter limiter, Environment environment, Supplier<@Nullable AdmissionQueue> queue) {
        this.limiter = limiter;
        this.environment = environment;
        this.queue = queue;
    }

    @Nullable
    AdaptiveControl control() {
        return control;
    }

    /**
     * Called before the limiter gets this specification. If that has the part under control at another place, the part would keep
     * the limit that was set, since an equal part is kept, and no dial would reach it:
     *
     * <pre>
     *     Semaphore(2), set to 5     this makes it      Semaphore(5)
     *                                the limiter gets   AllOf(rate, Semaphore(2)), where that is adjusted to 2
     * </pre>
     */
    void before(StrategySpec next) {
        StrategySpec present = limiter.spec();
        StrategySpec part = present.parts().get(0);
        if (!adapted || next.parts().indexOf(part) <= 0) {
            return;
        }
        Snapshot now = limiter.snapshot();
        AdaptiveControl running = control;
        PartStrategy other = Parts.create(part, environment.ticker());
        boolean isAlone = present.parts().lastIndexOf(part) == 0; // an equal one beside it might go on in its place
        boolean isAdjusted = isAlone && other.ramp() == null && Parts.of(part).adjust(other);
        passed = new Passed(
                part,
                now.limit(),
                Objects.requireNonNullElse(now.limitSetBy(), "adaptive control"),
                running == null || isAdjusted ? Map.of() : running.learned());
        if (isAdjusted) {
            limiter.reconfigure(Parts.of(present).withLimit(now.limit()));
        } else {
            // Its control would set it again.
            stop();
            limiter.dial().setLimit(other.target(), ENDED);
        }
    }

    /** Puts this in force, with what the plan says of it as text; null = no control. */
    void apply(LimitPlan.@Nullable Adaptive wanted, @Nullable LimitPlan plan, StrategySpec spec, boolean replaced) {
        Passed last = passed;
        if (wanted == null) {
            long limit = adapted ? Parts.create(spec, environment.ticker()).target() : 0;
            stop();
            if (limit > 0) {
                limiter.dial().setLimit(limit, ENDED);
            }
            adapted = false;
            passed = null;
            return;
        }
        if (last != null && limiter.spec().parts().get(0).equals(last.part)) {
            limiter.dial().setLimit(last.limit, last.why);
        }
        passed = null;
        Map<String, String> said = part(plan);
        AdaptiveControl running = control;
        if (running != null && ofController(said).equals(ofController(settings))) {
            if (applied != null && !wanted.bounds().equals(applied.bounds())) {
                running.bounds(wanted.bounds());
            }
            if (replaced) {
                running.attach();
            }
        } else {
            Map<String, Double> known = last == null ? Map.of() : last.learned;
            Map<String, Double> learned = running == null ? known : running.learned();
            stop();
            try {
                start(wanted, learned);
            } catch (Throwable foreign) {
                stop();
                throw foreign;
            }
        }
        applied = wanted;
        settings = said;
    }

    private static Map<String, String> part(@Nullable LimitPlan plan) {
        SortedMap<String, String> said = new TreeMap<>(plan == null ? Map.of() : plan.settings());
        return new TreeMap<>(said.subMap("adaptive", PREFIX + Character.MAX_VALUE));
    }

    /* Two instances or a hundred have the controller that is right for any number. */
    private static Map<String, String> ofController(Map<String, String> said) {
        Map<String, String> rest = new HashMap<>(said);
        rest.keySet().removeIf(path -> path.matches("adaptive|adaptive\\.(min|max|step)"));
        rest.computeIfPresent("adaptive.instances", (path, count) -> count.matches("[2-9]|[1-9][0-9]+") ? null : count);
        return rest;
    }

    private void start(LimitPlan.Adaptive wanted, Map<String, Double> learned) {
        Sensors reading = wanted.signals().isEmpty()
                ? null
                : Sensors.builder()
                        .watch(wanted.signals().stream().map(Supplier::get).toArray(Signal[]::new))
                        .ticker(environment.ticker())
                        .start();
        sensors = reading;
        Controller controller = wanted.controller().get();
        teach(controller, learned);
        AdaptiveControl.Builder builder = AdaptiveControl.builder(limiter, controller)
                .clock(environment.clock())
                .bounds(wanted.bounds())
                .signals(() -> signals(reading))
                .waiting(this::waiting);
        if (environment.state() != null) {
            builder.restoring(environment.state());
        }
        adapted = true;
        AdaptiveControl created = builder.build();
        control = created;
        ticking = reading == null ? null : reading.onRound(created::tick);
        ControlView seen = ControlView.of(created);
        environment.observers().add(created, observer -> observer.onControl(seen));
    }

    /* The limit is in force already: a new controller goes on from it with what the one before has learned. */
    private static void teach(Controller controller, Map<String, Double> learned) {
        try {
            if (!learned.isEmpty()) {
                controller.restore(learned, 1);
            }
        } catch (RuntimeException e) {
            // it starts without
        }
    }

    private Map<String, Double> signals(@Nullable Sensors reading) {
        AdmissionQueue waiting = queue.get();
        Map<String, Double> readings = reading == null ? Map.of() : reading.readings();
        if (waiting == null) {
            return readings;
        }
        Map<String, Double> all = new HashMap<>(readings);
        all.put(LimitPlan.Adaptive.QUEUE_DELAY, waiting.snapshot().oldestAgeNanos() / NANOS_PER_SECOND);
        return all;
    }

    private long waiting() {
        AdmissionQueue waiting = queue.get();
        return waiting == null ? 0 : waiting.length();
    }

    /** Ends the control, if there is one; the limit stays. */
    void stop() {
        AdaptiveControl running = control;
        applied = null;
        settings = Map.of();
        if (ticking != null) {
            ticking.close();
            ticking = null;
        }
        if (sensors != null) {
            sensors.close();
            sensors = null;
        }
        if (running != null) {
            environment.observers().remove(running);
            running.close();
            // What it changes until then is known as its own.
            control = null;
        }
    }
}
