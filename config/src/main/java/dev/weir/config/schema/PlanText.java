package dev.weir.config.schema;

import dev.weir.config.document.LimitPlan;
import dev.weir.distributed.Mode;
import dev.weir.queue.QueueSpec;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A description of a plan of a limit, in one line of words. */
public final class PlanText {
    private static final Duration LONG = Duration.ofDays(36_500);

    private PlanText() {}

    /** One line: {@code "checkout: at most 40 at once, adaptive 10 to 400 by crest; queue of 100, fifo"}. */
    public static String of(LimitPlan plan) {
        List<String> parts = new ArrayList<>();
        parts.add(new SpecText(plan.dimensions(), plan.settings()).of(plan.spec()) + adaptive(plan));
        LimitPlan.Cluster cluster = plan.cluster();
        if (cluster != null) {
            parts.add(cluster(cluster));
        }
        LimitPlan.Share share = plan.share();
        if (share != null) {
            parts.add(share(share));
        }
        QueueSpec queue = plan.queue();
        if (queue != null) {
            parts.add(queue(queue, chosen(plan, "queue.discipline", "fifo")));
        }
        LimitPlan.Pool pool = plan.pool();
        if (pool != null) {
            parts.add("pool of " + pool.core() + " to " + pool.max() + " threads and a queue of " + pool.queueCapacity()
                    + ", idle threads end after " + SpecText.text(pool.keepAlive()));
        }
        if (plan.keyMissing() == LimitPlan.KeyMissing.SHARE) {
            parts.add("requests without key share one");
        } else if (plan.keyMissing() == LimitPlan.KeyMissing.SKIP) {
            parts.add("requests without key are not limited");
        }
        if (plan.trackPermits() > 0) {
            parts.add("tracks one permit in " + plan.trackPermits());
        }
        if (plan.hotKeys()) {
            parts.add("records hot keys");
        }
        if (plan.enforce() < 1) {
            parts.add(
                    plan.enforce() == 0
                            ? "not enforced, only counted"
                            : percent(plan.enforce()) + " of requests enforced");
        }
        return plan.name() + ": " + String.join("; ", parts);
    }

    private static String cluster(LimitPlan.Cluster cluster) {
        String instances = cluster.instances() > 0 ? " of " + cluster.instances() : "";
        String away = switch (cluster.away()) {
            case OPEN -> "all is granted";
            case CLOSED -> "all is refused";
            case LOCAL -> "each instance grants its part" + instances;
        };
        return "counted for " + (cluster.keyed() ? "each key of " : "") + "all instances, " + mode(cluster.mode())
                + "; while the store is away, " + away;
    }

    private static String share(LimitPlan.Share share) {
        String by = switch (share.by()) {
            case EQUAL -> "evenly";
            case WEIGHT -> "by weight, here " + share.weight();
            case DEMAND -> "by demand";
        };
        return "in place of that number, a share of " + share.quota() + " of all instances in " + share.of() + ", " + by
                + ", and at most " + share.degraded() + " without the registry";
    }

    private static String mode(Mode mode) {
        if (mode instanceof Mode.Leased leased) {
            return "leased with at most " + leased.maxUnused() + " unused for " + SpecText.text(leased.expiry());
        }
        return mode instanceof Mode.Verdict verdict
                ? "by verdicts used for " + SpecText.text(verdict.freshFor())
                : "exactly";
    }

    private static String adaptive(LimitPlan plan) {
        LimitPlan.Adaptive adaptive = plan.adaptive();
        return adaptive == null
                ? ""
                : ", adaptive " + adaptive.bounds().min() + " to "
                        + adaptive.bounds().max() + " by " + chosen(plan, "adaptive.controller", "crest");
    }

    private static String queue(QueueSpec queue, String discipline) {
        StringBuilder text = new StringBuilder("queue of " + queue.capacity() + ", " + discipline);
        if (queue.retrySchedule() != null) {
            text.append(", unfair");
        }
        if (queue.maxPermits() < Long.MAX_VALUE) {
            text.append(", at most ").append(queue.maxPermits()).append(" permits");
        }
        boolean bounded = queue.maxWait().compareTo(LONG) < 0;
        text.append(bounded ? ", waits at most " + SpecText.text(queue.maxWait()) : ", waits as long as the caller");
        return text.append(queue.predictive() ? ", refuses at once what would time out" : "")
                .toString();
    }

    private static String chosen(LimitPlan plan, String path, String usual) {
        String name = plan.settings().get(path);
        return name != null ? name : plan.settings().getOrDefault(path + ".name", usual);
    }

    private static String percent(double share) {
        return BigDecimal.valueOf(share)
                        .movePointRight(2)
                        .setScale(4, RoundingMode.HALF_UP)
                        .stripTrailingZeros()
                        .toPlainString()
                + "%";
    }
}
