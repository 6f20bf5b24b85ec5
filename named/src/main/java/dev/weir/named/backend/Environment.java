package dev.weir.named.backend;

import dev.weir.Outcome;
import dev.weir.Ticker;
import dev.weir.adaptive.SavedState;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.named.delivery.Delivery;
import dev.weir.named.plan.Caps;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.plan.Problem;
import dev.weir.named.status.ConfigEvent;
import dev.weir.share.ShareRegistry;
import dev.weir.spi.Alarm;
import dev.weir.spi.StrategySpec;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The clock, the alarm, the observers and other objects that all names of one registry share. Shares of quotas are kept where
 * {@code sharing} says, null = on threads of each; listeners are called, and requests that a change has moved are ended, by {@code
 * telling}. What foreign code throws is counted.
 */
public record Environment(
        Ticker ticker,
        InstantSource clock,
        Alarm alarm,
        Events events,
        Observers observers,
        GivenStore store,
        Map<String, ShareRegistry> shares,
        @Nullable Executor sharing,
        Executor telling,
        @Nullable SavedState state,
        Function<String, Function<? super Throwable, Outcome>> outcomes,
        AtomicLong failures) {
    /** Runs this where listeners are called; here if there is no thread. */
    void aside(Runnable work) {
        Runnable once = Delivery.once(work);
        try {
            telling.execute(once);
        } catch (Throwable noThread) {
            once.run();
        }
    }

    @Nullable
    LimitPlan within(Caps caps, @Nullable LimitPlan plan) {
        return plan != null && caps.against(plan, ticker).isEmpty() ? plan : null;
    }

    ManagedLimiter limiter(String name, StrategySpec spec) {
        return Limiters.builder(name, spec)
                .ticker(ticker)
                .classifier(outcomes.apply(name))
                .build();
    }

    /** The problems of the share of a plan; empty = none. */
    List<Problem> shareProblems(String source, LimitPlan plan) {
        LimitPlan.Share share = plan.find(LimitPlan.SHARE);
        if (share == null || shares.containsKey(share.of())) {
            return List.of();
        }
        String rule = "must be one of " + new TreeSet<>(shares.keySet()) + ", which code gives";
        return List.of(new Problem(source, share.line(), share.column(), plan.name(), "share.of", rule, share.of()));
    }

    /** Tells that the settings of a name are not put in force. */
    void refused(String source, String name, String rule) {
        events.tell(new ConfigEvent.Refused(source, "", false, List.of(new Problem(source, 0, 0, name, "", rule, ""))));
    }

    void guarded(Runnable step) {
        boolean unused = guarded(new ArrayList<>(), step);
    }

    /** Runs a step; if it throws, that is counted, the message is added, and the answer is false. */
    boolean guarded(List<String> messages, Runnable step) {
        try {
            step.run();
            return true;
        } catch (Throwable t) {
            failures.getAndIncrement();
            messages.add(String.valueOf(t.getMessage()));
            return false;
        }
    }
}
