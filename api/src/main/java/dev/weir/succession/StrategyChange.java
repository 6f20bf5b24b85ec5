package dev.weir.succession;

import dev.weir.Ticker;
import dev.weir.spi.RampProgress;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One change from the parts of a specification to those of another. Used once, by one thread. */
final class StrategyChange {
    private enum How {
        NEW,
        ADJUSTED,
        EQUAL
    }

    private final List<StrategySpec> specs;
    private final List<RunningPart> running;
    private final List<RunningPart> old;
    private final Ticker ticker;
    private final @Nullable RampProgress ramp;
    private final @Nullable RunningPart[] from;
    private final Strategy[] made;
    private final How[] how;
    private final long[] limits;
    private final List<InFlight> successors;

    /** Creates a change. If there are {@code successors}, all counters are new, and the successors also count what is in flight. */
    StrategyChange(
            List<StrategySpec> specs,
            List<RunningPart> running,
            List<RunningPart> aside,
            Ticker ticker,
            List<InFlight> successors) {
        this.specs = specs;
        this.running = running;
        this.old = new ArrayList<>(running);
        old.addAll(aside);
        this.ticker = ticker;
        this.ramp = running.stream()
                .map(part -> part.strategy().ramp())
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        this.from = new RunningPart[specs.size()];
        this.made = new Strategy[specs.size()];
        this.how = new How[specs.size()];
        this.limits = new long[specs.size()];
        this.successors = successors;
        pair(true);
        pair(false);
    }

    private void pair(boolean equal) {
        for (int i = 0; i < from.length; i++) {
            for (RunningPart part : old) {
                StrategySpec spec = specs.get(i);
                boolean fits = equal ? spec.equals(part.spec()) : part.isLike(spec);
                if (from[i] == null && fits && !isTaken(part)) {
                    from[i] = part;
                    how[i] = equal ? How.EQUAL : How.ADJUSTED;
                }
            }
        }
    }

    private boolean isTaken(RunningPart part) {
        for (RunningPart taken : from) {
            if (taken == part) {
                return true;
            }
        }
        return false;
    }

    /** Creates the strategies that are certainly new, before anything changes. */
    void create() {
        for (int i = 0; i < made.length; i++) {
            if (from[i] == null) {
                renew(i);
            }
        }
    }

    private void renew(int i) {
        made[i] = Objects.requireNonNull(specs.get(i).after(ramp, ticker).create(ticker), "create(ticker)");
        how[i] = How.NEW;
        from[i] = null;
    }

    /** The strategies after the change. Called while nothing is granted. */
    List<Strategy> strategies() {
        int adjusted = 0;
        try {
            for (; adjusted < made.length; adjusted++) {
                succeed(adjusted);
            }
            renewCounters();
        } catch (Throwable t) {
            takeBack(adjusted);
            throw t;
        }
        carryDebt();
        handOverCounters();
        return List.of(made);
    }

    private void succeed(int i) {
        RunningPart part = from[i];
        if (part == null) {
            return;
        }
        made[i] = part.strategy();
        limits[i] = made[i].target();
        boolean isNew = how[i] == How.ADJUSTED && !part.adjustTo(specs.get(i), ticker);
        if (isNew && !adjustsAnother(i)) {
            renew(i);
        }
    }

    private boolean adjustsAnother(int i) {
        for (RunningPart part : old) {
            boolean isLike = part.isLike(specs.get(i));
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

    private void takeBack(int upTo) {
        for (int i = 0; i < upTo; i++) {
            takeBackOne(i);
        }
    }

    /* Of limits that count the same permits in flight, either all are kept or all are new and count from the start: a kept
    one could not tell for which permits the new ones must count as well. Nor could one that was kept aside while limits by
    key granted. */
    private void renewCounters() {
        boolean anyNew = !successors.isEmpty();
        boolean byKey = old.stream().anyMatch(part -> isKeyedCounter(part.strategy()) && !part.counted());
        for (int i = 0; i < made.length; i++) {
            boolean missed = how[i] == How.NEW || (byKey && !running.contains(from[i]));
            anyNew |= missed && HandsOver.counter(made[i]) != null;
        }
        for (int i = 0; i < made.length; i++) {
            if (anyNew && how[i] != How.NEW && HandsOver.counter(made[i]) != null) {
                boolean isEqual = how[i] == How.EQUAL;
                takeBackOne(i);
                renew(i);
                limitIs(made[i], isEqual ? limits[i] : made[i].target());
            }
        }
    }

    private void takeBackOne(int i) {
        RunningPart part = from[i];
        if (part != null && how[i] == How.ADJUSTED) {
            part.adjustTo(part.spec(), ticker);
            limitIs(part.strategy(), limits[i]);
        }
    }

    /* The limit may differ from that of its specification. */
    private static void limitIs(Strategy strategy, long limit) {
        if (strategy.target() != limit) {
            strategy.setLimit(limit);
        }
    }

    /* If each rate adjusts its predecessor, no rate gets a debt. Otherwise a new rate may replace any of the old ones: what
    the slowest of them has not refilled is a debt of all new rates, and of all rates if one was removed. */
    private void carryDebt() {
        boolean removed = old.stream().anyMatch(part -> part.isRate() && !isTaken(part));
        boolean added = false;
        for (int i = 0; i < made.length; i++) {
            added |= how[i] == How.NEW && RunningPart.isRate(made[i]);
        }
        if (!removed && !added) {
            return;
        }
        long used = old.stream()
                .filter(RunningPart::isRate)
                .mapToLong(part -> part.strategy().used())
                .max()
                .orElse(0);
        for (int i = 0; i < made.length; i++) {
            if (RunningPart.isRate(made[i]) && (removed || how[i] != How.EQUAL)) {
                made[i] = IndebtedRate.of(made[i], used, ticker);
            }
        }
    }

    /* Each permit in flight is handed over once: by a counter of all permits if there is one, else by the limits by key. */
    private void handOverCounters() {
        List<InFlight> successors = new ArrayList<>(this.successors);
        for (int i = 0; i < made.length; i++) {
            InFlight counter = HandsOver.counter(made[i]);
            if (how[i] == How.NEW && counter != null) {
                successors.add(counter);
            }
        }
        if (successors.isEmpty()) {
            return;
        }
        RunningPart ofAll = counterOfAll();
        if (ofAll != null) {
            Objects.requireNonNull(HandsOver.counter(ofAll.strategy())).handOver(successors);
        }
        boolean runningIsCounted = ofAll != null && running.contains(ofAll);
        for (RunningPart part : old) {
            boolean counted = running.contains(part) ? runningIsCounted : part.counted();
            if (isKeyedCounter(part.strategy()) && !counted) {
                HandsOver.handOver(part.strategy(), successors);
                runningIsCounted |= running.contains(part);
            }
        }
        if (ofAll != null) {
            ofAll.twice().forEach(twice -> twice.correct(successors));
        }
    }

    /* Several counters in force count the same permits, so one of them is enough. */
    private @Nullable RunningPart counterOfAll() {
        for (RunningPart part : old) {
            if (HandsOver.counter(part.strategy()) != null) {
                return part;
            }
        }
        return null;
    }

    /* Counters of the permits in flight of limits by key that stay in force, which a counter that is kept aside includes too. */
    private List<InFlight> countedTwice() {
        List<InFlight> twice = new ArrayList<>();
        boolean runningIsCounted = running.stream().anyMatch(part -> HandsOver.counter(part.strategy()) != null);
        for (int i = 0; i < made.length; i++) {
            RunningPart part = from[i];
            if (part != null && isKeyedCounter(made[i])) {
                if (running.contains(part) ? runningIsCounted : part.counted()) {
                    InFlight both = new InFlight(InFlight.MAX);
                    HandsOver.handOver(made[i], List.of(both));
                    twice.add(both);
                }
            }
        }
        return twice;
    }

    private static boolean isKeyedCounter(Strategy strategy) {
        return strategy.traits().holds() && HandsOver.counter(strategy) == null;
    }

    /** The parts that have no successor of their kind. */
    List<RunningPart> keptAside() {
        List<RunningPart> kept = withoutSuccessor();
        for (RunningPart part : old) {
            InFlight counter = HandsOver.counter(part.strategy());
            if (counter != null
                    && !isTaken(part)
                    && kept.stream().noneMatch(one -> one.strategy() == part.strategy())) {
                counter.handOver(List.of()); // nobody reads it any more: others shall not count in it
            }
        }
        return kept;
    }

    private List<RunningPart> withoutSuccessor() {
        boolean rate = false;
        boolean keyedRate = false;
        boolean counter = false;
        boolean keyedCounter = false;
        for (Strategy strategy : made) {
            rate |= RunningPart.isRate(strategy);
            keyedRate |= !strategy.traits().holds() && strategy.refillRate() == null;
            counter |= HandsOver.counter(strategy) != null;
            keyedCounter |= isKeyedCounter(strategy);
        }
        boolean counted = counter || running.stream().anyMatch(part -> HandsOver.counter(part.strategy()) != null);
        List<RunningPart> kept = new ArrayList<>();
        List<InFlight> twice = null;
        for (RunningPart part : old) {
            Strategy strategy = part.strategy();
            if (isKeyedCounter(strategy) && !keyedCounter && strategy.inFlight() > 0) {
                kept.add(new RunningPart(part.spec(), strategy, part.counted() || counted, List.of()));
            } else if (HandsOver.counter(strategy) != null && !counter && strategy.inFlight() > 0) {
                twice = twice == null ? countedTwice() : twice;
                List<InFlight> known = new ArrayList<>(part.twice());
                known.addAll(twice);
                kept.add(new RunningPart(part.spec(), strategy, part.counted(), List.copyOf(known)));
            } else if (part.isRate()
                    ? !rate && strategy.used() > 0
                    : !strategy.traits().holds() && !keyedRate) {
                kept.add(part);
            }
        }
        return List.copyOf(kept);
    }
}
