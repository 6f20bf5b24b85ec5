package dev.weir.named.backend;

import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.ControlView;
import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Signal;
import dev.weir.adaptive.signal.Sensors;
import dev.weir.engine.ManagedLimiter;
import dev.weir.named.plan.LimitPlan;
import dev.weir.queue.AdmissionQueue;
import dev.weir.spi.Registration;
import dev.weir.spi.StrategySpec;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The adaptive control of one limiter, as the document describes it. Changed by one thread at a time; read by any. */
final class AdaptivePart {
    private static final String PREFIX = "adaptive.";
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
     * Puts this in force.
     *
     * @param wanted null = no control
     * @param plan says what is wanted as text
     * @param spec what the limiter has without a control
     * @param replaced whether the limiter has just got another specification
     */
    void apply(LimitPlan.@Nullable Adaptive wanted, @Nullable LimitPlan plan, StrategySpec spec, boolean replaced) {
        if (wanted == null) {
            stop();
            if (adapted) {
                adapted = false;
                long limit = spec.create(environment.ticker()).target();
                if (limit > 0) {
                    limiter.dial().setLimit(limit, "no adaptive control");
                }
            }
            return;
        }
        Map<String, String> said = part(plan);
        AdaptiveControl running = control;
        if (running != null && !changesController(said)) {
            if (applied != null && !wanted.bounds().equals(applied.bounds())) {
                running.bounds(wanted.bounds());
            }
            if (replaced) {
                running.attach();
            }
        } else {
            Map<String, Double> learned = running == null ? Map.of() : running.learned();
            stop();
            started(wanted, learned);
        }
        applied = wanted;
        settings = said;
    }

    private static Map<String, String> part(@Nullable LimitPlan plan) {
        SortedMap<String, String> said = new TreeMap<>(plan == null ? Map.of() : plan.settings());
        return new TreeMap<>(said.subMap("adaptive", PREFIX + Character.MAX_VALUE));
    }

    private boolean changesController(Map<String, String> said) {
        return !ofController(said).equals(ofController(settings));
    }

    /* Two instances or a hundred have the controller that is right for any number. */
    private static Map<String, String> ofController(Map<String, String> said) {
        Map<String, String> rest = new HashMap<>(said);
        rest.keySet().removeIf(path -> path.matches("adaptive|adaptive\\.(min|max|step)"));
        rest.computeIfPresent("adaptive.instances", (path, count) -> count.matches("[2-9]|[1-9][0-9]+") ? null : count);
        return rest;
    }

    private void started(LimitPlan.Adaptive wanted, Map<String, Double> learned) {
        try {
            start(wanted, learned);
        } catch (Throwable t) {
            stop();
            throw t;
        }
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

    private void stop() {
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
