package dev.weir.named.recorder;

import dev.weir.Ticker;
import dev.weir.algorithms.Partitioned;
import dev.weir.algorithms.PriorityShedding;
import dev.weir.algorithms.WarmUp;
import dev.weir.budget.ClientLimit;
import dev.weir.keyed.Keyed;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.plan.LimitPlan.Adaptive;
import dev.weir.named.recorder.Replay.Result;
import dev.weir.queue.QueueSpec;
import dev.weir.queue.discipline.EarliestDeadline;
import dev.weir.queue.discipline.FairShare;
import dev.weir.queue.discipline.Priority;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;

/** The reasons for which a preview may be wrong by more than 2 % of the requests. */
final class Doubts {
    /** The share of the requests by which a result may be wrong without a doubt listed. */
    static final double TOLERATED = .02;

    private static final long FEWEST_REQUESTS = 100;
    private static final int FEWEST_HOLDS = 50;
    /* What is in flight or spent at the beginning is not known, and matters for this part of the recording. */
    private static final int LONGEST_PART = 10;

    private final RecordedLoad load;
    private final LimitPlan now;
    private final LimitPlan then;
    private final List<String> found = new ArrayList<>();

    Doubts(RecordedLoad load, LimitPlan now, LimitPlan then) {
        this.load = load;
        this.now = now;
        this.then = then;
    }

    /**
     * All reasons; empty = none. Requests are refused {@code asItIs} by a replay of the settings in force, and by the others from
     * the fewest to the most, with the limit as it moved, and with it anywhere within its bounds.
     */
    List<String> all(Result result, long asItIs, long low, long high, long lowest, long highest) {
        long requests = result.requests();
        if (requests < FEWEST_REQUESTS) {
            found.add("only " + requests + " requests are recorded");
        }
        if (differs(asItIs, load.refusedThen())) {
            found.add(text(
                    "a replay of the settings in force refuses %,d requests, and %,d were refused",
                    asItIs, load.refusedThen()));
        }
        if (differs(result.refused(), low) || differs(result.refused(), high)) {
            found.add(text("what is not recorded exactly makes it %,d to %,d refused requests", low, high));
        }
        holds();
        keys();
        moves(lowest, highest, result.refused());
        requests();
        spans();
        return found;
    }

    private boolean differs(long one, long other) {
        return Math.abs(one - other) > TOLERATED * load.requests();
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    /** True if a permit of this plan is held until it is released. */
    static boolean holds(LimitPlan plan) {
        return Parts.create(plan.spec(), Ticker.system()).traits().holds();
    }

    private void holds() {
        if (!holds(then)) {
            return;
        }
        int known = load.holdNanos().length;
        if (known < FEWEST_HOLDS) {
            found.add("only " + known + " hold times are recorded");
            return;
        }
        long[] sorted = load.holdNanos().clone();
        Arrays.sort(sorted);
        long long99 = sorted[(int) (sorted.length * .99)];
        if (long99 > spanNanos() / LONGEST_PART) {
            found.add("permits are held for up to " + seconds(long99) + ", and " + seconds(spanNanos())
                    + " are recorded");
        }
    }

    private long spanNanos() {
        return load.sliceNanos() * load.arrivals().length;
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%,d s", Duration.ofNanos(nanos).toSeconds());
    }

    private void keys() {
        List<Keyed> tables = Replay.tables(then);
        if (tables.isEmpty()) {
            return;
        }
        if (load.keys().isEmpty()) {
            found.add("keys are not recorded; hot-keys: true records them");
        } else if (tables.stream().map(Keyed::by).distinct().count() > 1
                || !tables.get(0).by().equals(by(now))) {
            found.add("keys are recorded by other names than these limits count by");
        } else if (KeyDraw.tail(load) > TOLERATED) {
            found.add(text(
                    "%.0f %% of the requests have other keys than the heaviest, which are not recorded",
                    100 * KeyDraw.tail(load)));
        }
    }

    /* Several names have one record of keys: it does not tell them apart. */
    private static List<String> by(LimitPlan plan) {
        List<List<String>> all =
                Replay.tables(plan).stream().map(Keyed::by).distinct().toList();
        return all.size() == 1 ? all.get(0) : List.of("several");
    }

    private void moves(long lowest, long highest, long refused) {
        Adaptive adaptive = then.find(LimitPlan.ADAPTIVE);
        if (adaptive != null && (differs(lowest, refused) || differs(highest, refused))) {
            found.add(text(
                    "the limit is adapted: between its bounds %,d and %,d it refuses %,d to %,d requests",
                    adaptive.bounds().min(), adaptive.bounds().max(), lowest, highest));
        }
        if (then.find(LimitPlan.SHARE) != null) {
            found.add("the share of the quota changes with the instances");
        }
        if (then.stored() != null) {
            found.add("a store counts the limit for all instances, and only this one is recorded");
        }
    }

    private void requests() {
        if (load.isHeavy()) {
            found.add("some requests were for several permits or had a cost, and each is replayed for one");
        }
        boolean byPriority = parts(then.spec()).anyMatch(PriorityShedding.class::isInstance);
        boolean byKey = parts(then.spec()).anyMatch(Partitioned.class::isInstance);
        QueueSpec queue = then.find(LimitPlan.QUEUE);
        if (queue != null) {
            byPriority |= queue.discipline() instanceof Priority;
            byKey |= queue.discipline() instanceof FairShare
                    && Replay.tables(then).isEmpty();
            if (queue.discipline() instanceof EarliestDeadline) {
                found.add("deadlines of requests are not recorded");
            }
        }
        if (parts(then.spec()).anyMatch(ClientLimit.class::isInstance)) {
            found.add("outcomes of calls are not recorded, and each is replayed as a first attempt that succeeds");
        }
        if (byPriority) {
            found.add("priorities of requests are not recorded");
        }
        if (byKey) {
            found.add("keys are not recorded for limits that share by key");
        }
    }

    private void spans() {
        then.spec().parts().stream()
                .filter(WarmUp.class::isInstance)
                .map(part -> ((WarmUp) part).period())
                .filter(period -> period.compareTo(Duration.ofNanos(spanNanos() / LONGEST_PART)) > 0)
                .findFirst()
                .ifPresent(period -> found.add("the limit warms up for " + period.toSeconds() + " s, and "
                        + seconds(spanNanos()) + " are recorded"));
        parts(then.spec())
                .map(part -> Parts.create(part, Ticker.system()))
                .flatMap(part -> part.members().stream())
                .map(PartStrategy::account)
                .filter(Objects::nonNull)
                .mapToLong(account -> account.nanosUntilRefilled(account.burst()))
                .filter(nanos -> nanos > spanNanos() / LONGEST_PART)
                .max()
                .ifPresent(nanos -> found.add("the rate refills within " + seconds(nanos) + ", and "
                        + seconds(spanNanos()) + " are recorded"));
    }

    private static Stream<StrategySpec> parts(StrategySpec spec) {
        return spec.parts().stream().flatMap(part -> {
            StrategySpec inner =
                    part instanceof Keyed keyed ? keyed.perKey() : part instanceof WarmUp cold ? cold.target() : part;
            return inner == part ? Stream.of(part) : parts(inner);
        });
    }
}
