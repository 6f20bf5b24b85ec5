package dev.weir.verification.composition;

import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.WarmUp;
import dev.weir.keyed.Keyed;
import dev.weir.spi.RampCurve;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Composition;
import dev.weir.testkit.Composition.Figures;
import dev.weir.testkit.Composition.Law;
import dev.weir.testkit.Composition.Motion;
import dev.weir.testkit.Composition.Part;
import dev.weir.testkit.Composition.Rate;
import dev.weir.testkit.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** Random trees of specifications, two or three deep, from a few leaves, so that they have parts in common. */
final class Trees implements Composition.Source {
    private static final int CELLS = 1 << 12;

    /** More than there are; nothing is evicted then. */
    static final int MANY = 1_000;

    private final boolean byKey;
    private final boolean evicts;

    Trees(boolean byKey, boolean evicts) {
        this.byKey = byKey;
        this.evicts = evicts;
    }

    @Override
    public List<Composition> draw(SplittableRandom random, int count) {
        List<Composition> palette = IntStream.range(0, random.nextInt(2, 7))
                .mapToObj(i -> Leaves.draw(random))
                .toList();
        long maxKeys = !byKey ? 0 : evicts && random.nextBoolean() ? random.nextInt(1, 4) : MANY;
        return IntStream.range(0, count)
                .mapToObj(i -> besideOthers(tree(random, palette, 2, maxKeys)))
                .toList();
    }

    /*
     * A pacer that another rate makes late keeps its slots where they are, if by less than its catch-up, and so catches up.
     * One that nobody had asked before counts its slots from that request on:
     *
     *     slots of 4, of the drained one     0   4   8   12        and a window that grants nothing before 10
     *     granted by the drained one                   10  12
     *     granted by a new one                         10    14
     */
    private static Composition besideOthers(Composition tree) {
        if (tree.parts().stream().filter(part -> part.law() instanceof Rate).count() < 2) {
            return tree;
        }
        List<Part> parts = tree.parts().stream().map(Trees::besideOthers).toList();
        return new Composition(tree.spec(), tree.roomy(), parts, tree.exact(), tree.motion());
    }

    private static Part besideOthers(Part part) {
        if (!(part.spec() instanceof Pacer && part.law() instanceof Rate rate)) {
            return part;
        }
        Rate later = new Rate((limit, full) -> {
            Figures on = rate.by().at(limit, full);
            long lateSlots = on.burst() - on.largest() + 1;
            return new Figures(
                    on.permits(),
                    on.period(),
                    on.burst(),
                    on.forgotten(),
                    on.remembered(),
                    on.late() + lateSlots * on.period(),
                    on.largest());
        });
        return new Part(part.spec(), part.byKey(), part.place(), part.first(), part.limit(), later, part.drained());
    }

    private static Composition tree(SplittableRandom random, List<Composition> leaves, int depth, long maxKeys) {
        int shape = depth == 0 ? 0 : random.nextInt(12);
        return switch (shape) {
            case 0, 1, 2, 3 -> leaves.get(random.nextInt(leaves.size()));
            case 4, 5, 6, 7 -> allOf(random, leaves, depth, maxKeys);
            case 8, 9 -> warmUp(random, tree(random, leaves, depth - 1, maxKeys));
            default ->
                maxKeys == 0 ? tree(random, leaves, depth - 1, 0) : keyed(tree(random, leaves, depth - 1, 0), maxKeys);
        };
    }

    /* One limit by key at most. */
    private static Composition allOf(SplittableRandom random, List<Composition> leaves, int depth, long maxKeys) {
        List<Composition> members = new ArrayList<>();
        long keysLeft = maxKeys;
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            Composition member = tree(random, leaves, depth - 1, keysLeft);
            keysLeft = member.parts().stream().anyMatch(Part::byKey) ? 0 : keysLeft;
            members.add(random.nextInt(members.size() + 1), member);
        }
        return allOf(members);
    }

    private static Composition warmUp(SplittableRandom random, Composition target) {
        if (target.motion() != Motion.NONE) {
            return target;
        }
        boolean cools = random.nextInt(3) == 0;
        Duration period = Duration.ofNanos(Seed.oneOf(random, 1_000_000L, 10_000_000L, 100_000_000L));
        int floor = Seed.oneOf(random, 1, 10, 50);
        RampCurve curve = Seed.oneOf(random, RampCurve.values());
        Duration idle = cools ? Duration.ofMillis(20) : null;
        return warmUp(
                target,
                cools ? Motion.RISES_AND_FALLS : Motion.RISES,
                spec -> new WarmUp(spec, period, floor, curve, idle));
    }

    static Composition warmUp(Composition target, Motion motion, UnaryOperator<StrategySpec> warming) {
        List<Part> parts = new ArrayList<>(target.parts());
        parts.set(0, warmUp(parts.get(0), warming));
        return new Composition(warming.apply(target.spec()), warming.apply(target.roomy()), parts, false, motion);
    }

    private static Part warmUp(Part part, UnaryOperator<StrategySpec> warming) {
        StrategySpec spec = warming.apply(part.spec());
        Law law = part.law() instanceof Rate rate ? new Rate((limit, full) -> rising(rate, limit, full)) : part.law();
        return new Part(spec, part.byKey(), part.place(), true, part.limit(), law, List.of(spec, part.spec()));
    }

    /* What a quota tells as used when it turns cold may have refilled up to a period ago. */
    private static Figures rising(Rate rate, long limit, long full) {
        Figures warm = rate.by().at(full, full);
        long share = Math.min(limit, full);
        return new Figures(
                warm.permits() * share,
                warm.period() * full,
                (warm.burst() * share - 1) / full + 1,
                share < full ? 0 : warm.forgotten(),
                warm.remembered(),
                warm.late() + warm.period(),
                (warm.largest() * share - 1) / full + 1);
    }

    static Composition allOf(List<Composition> members) {
        List<Part> parts = new ArrayList<>();
        int place = 0;
        for (Composition member : members) {
            for (Part part : member.parts()) {
                parts.add(part.at(place + part.place()));
            }
            place += member.spec().parts().size();
        }
        return new Composition(
                new AllOf(members.stream().map(Composition::spec).toList()),
                new AllOf(members.stream().map(Composition::roomy).toList()),
                parts,
                members.stream().allMatch(Composition::exact),
                members.stream()
                        .map(Composition::motion)
                        .max(Comparator.naturalOrder())
                        .orElseThrow());
    }

    static Composition keyed(Composition perKey, long maxKeys) {
        List<Part> parts = perKey.parts().stream().map(Part::forEachKey).toList();
        boolean exact = perKey.exact() && parts.stream().noneMatch(part -> isSliced(part.spec(), maxKeys));
        return new Composition(
                Keyed.of(perKey.spec(), maxKeys).withDebtCells(maxKeys < MANY ? CELLS : 1),
                Keyed.of(perKey.spec(), MANY).withDebtCells(maxKeys < MANY ? CELLS : 1),
                parts,
                exact,
                perKey.motion());
    }

    /* Blocks begin when the key is first asked for. What an evicted log had granted comes back up to a slice late. */
    private static boolean isSliced(StrategySpec spec, long maxKeys) {
        return spec instanceof SlidingWindow || (spec instanceof SlidingLog && maxKeys < MANY);
    }
}
