package dev.weir.succession;

import dev.weir.Ticker;
import dev.weir.spi.StrategySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One change from the parts of a specification to those of another. Used once, by one thread. */
final class StrategyChange {
    private enum How {
        NEW,
        ADJUSTED,
        EQUAL
    }

    /** The most limits by key that are kept aside, each by other names: the last ones. */
    private static final int MAX_TABLES_ASIDE = 64;

    private final List<StrategySpec> specs;
    private final List<RunningPart> running;
    private final List<RunningPart> old;
    private final Ticker ticker;
    private final @Nullable RampProgress ramp;
    private final @Nullable RunningPart[] from;
    private final PartStrategy[] made;
    private final How[] how;
    private final long[] limits;

    StrategyChange(List<StrategySpec> specs, List<RunningPart> running, List<RunningPart> aside, Ticker ticker) {
        this.specs = specs;
        this.running = running;
        this.old = Stream.concat(running.stream(), aside.stream()).toList();
        this.ticker = ticker;
        this.ramp = running.stream()
                .map(part -> part.strategy().ramp())
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        this.from = new RunningPart[specs.size()];
        this.made = new PartStrategy[specs.size()];
        this.how = new How[specs.size()];
        this.limits = new long[specs.size()];
        int[] pairs = Predecessors.of(old.stream().map(RunningPart::spec).toList(), specs);
        for (int i = 0; i < pairs.length; i++) {
            if (pairs[i] >= 0) {
                from[i] = old.get(pairs[i]);
                how[i] = specs.get(i).equals(from[i].spec()) ? How.EQUAL : How.ADJUSTED;
            }
        }
    }

    private boolean isTaken(RunningPart part) {
        return Arrays.stream(from).anyMatch(taken -> taken == part);
    }

    /** Creates what is certainly new, before anything changes; {@code refused} = the only part could not be adjusted in place. */
    void create(boolean refused) {
        for (int i = 0; i < made.length; i++) {
            if (from[i] == null || (refused && !(from[i].strategy() instanceof CountsByKey))) {
                renew(i);
            }
        }
    }

    private void renew(int i) {
        made[i] = Parts.create(Parts.of(specs.get(i)).after(ramp, ticker), ticker);
        how[i] = How.NEW;
        from[i] = null;
    }

    /** The strategies after the change. Called while nothing is granted. */
    List<PartStrategy> strategies() {
        try {
            for (int i = 0; i < made.length; i++) {
                succeed(i);
            }
            renewCounters();
            carryDebt();
        } catch (Throwable t) {
            takeBack(t);
            throw t;
        }
        return List.of(made);
    }

    /** Adjusts everything back to the specifications before, because of this. */
    void takeBack(Throwable cause) {
        for (int i = 0; i < made.length; i++) {
            try {
                takeBack(i);
            } catch (Throwable t) {
                cause.addSuppressed(t);
            }
        }
    }

    private void succeed(int i) {
        RunningPart part = from[i];
        if (part == null) {
            return;
        }
        made[i] = part.strategy();
        limits[i] = made[i].target();
        // A limit that was set ends with the part in force: one that was kept aside takes its specification.
        boolean goesOn = how[i] == How.EQUAL && running.contains(part);
        if (!goesOn && !adjusts(i, part) && !adjustsAnother(i)) {
            renew(i);
        }
    }

    /* Limits by key whose grants begin to hold permits, or no longer do, go on with the same table. */
    private boolean adjusts(int i, RunningPart part) {
        if (part.adjustTo(specs.get(i), ticker)) {
            return true;
        }
        if (part.strategy() instanceof CountsByKey table) {
            made[i] = table.otherwise();
            return new RunningPart(part.spec(), made[i]).adjustTo(specs.get(i), ticker);
        }
        return false;
    }

    private boolean adjustsAnother(int i) {
        for (RunningPart part : old) {
            boolean isLike = Predecessors.isLike(part.spec(), specs.get(i));
            long limit = part.strategy().target();
            if (isLike && !isTaken(part) && part.adjustTo(specs.get(i), ticker)) {
                from[i] = part;
                made[i] = part.strategy();
                limits[i] = limit;
                return true;
            }
        }
        return false;
    }

    private void takeBack(int i) {
        RunningPart part = from[i];
        if (part != null && made[i] != null && (how[i] == How.ADJUSTED || !running.contains(part))) {
            part.takeBack(limits[i], ticker);
        }
    }

    /* Of limits that count the same permits in flight, either all are kept or all are new and count from the start: a kept
    one could not tell for which permits the new ones must count as well. */
    private void renewCounters() {
        if (!isAnyCounterNew()) {
            return;
        }
        for (int i = 0; i < made.length; i++) {
            if (how[i] != How.NEW && made[i].counter() != null) {
                long limit = how[i] == How.EQUAL ? limits[i] : made[i].target();
                PartStrategy before = made[i];
                takeBack(i);
                renew(i);
                Parts.limitIs(made[i], limit);
                made[i].takeOver(before);
            }
        }
    }

    /* If each rate adjusts its predecessor, no rate gets a debt. Otherwise a new rate may replace any of the old ones: what
    the slowest of them has not refilled is a debt of all new rates, and of all rates if one was removed. What was spent by cost is
    a debt of a limit by cost, and what was spent in permits of one in permits: of the other only if nothing counted the same. */
    private void carryDebt() {
        boolean removed = old.stream().anyMatch(part -> RunningPart.isRate(part.strategy()) && !isTaken(part));
        if (!removed && !isAnyNew(RunningPart::isRate)) {
            return;
        }
        Used used = Used.of(old.stream().map(RunningPart::strategy));
        for (int i = 0; i < made.length; i++) {
            if (RunningPart.isRate(made[i]) && (removed || how[i] != How.EQUAL)) {
                made[i] = IndebtedRate.of(made[i], used.as(made[i]), ticker);
            }
        }
    }

    /** True if there are counters of all permits, and they are new: they know of no permit that is in flight. */
    boolean isAnyCounterNew() {
        return isAnyNew(strategy -> strategy.counter() != null);
    }

    private boolean isAnyNew(Predicate<PartStrategy> kind) {
        return IntStream.range(0, made.length).anyMatch(i -> how[i] == How.NEW && kind.test(made[i]));
    }

    /** The parts that have no successor: rates if there is no rate now, limits by key until there is one by the same names. */
    List<RunningPart> keptAside() {
        boolean rate = Stream.of(made).anyMatch(RunningPart::isRate);
        List<RunningPart> kept = new ArrayList<>();
        int tables = 0;
        for (RunningPart part : old) {
            if (isTaken(part)) {
                continue;
            }
            PartStrategy strategy = part.strategy();
            boolean isKeptTable = isTable(strategy) && tables++ < MAX_TABLES_ASIDE;
            if (isKeptTable || (!rate && RunningPart.isRate(strategy) && strategy.used() > 0)) {
                kept.add(part);
            }
        }
        return List.copyOf(kept);
    }

    private static boolean isTable(PartStrategy strategy) {
        boolean isOfAuthor = strategy instanceof AuthorsStrategy;
        return strategy instanceof CountsByKey
                || (!isOfAuthor && !strategy.traits().holds() && strategy.account() == null);
    }
}
