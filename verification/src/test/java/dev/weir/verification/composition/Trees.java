package dev.weir.verification.composition;

import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.Settled;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.WarmUp;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.spi.RampCurve;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Composition;
import dev.weir.testkit.Composition.Figures;
import dev.weir.testkit.Composition.Law;
import dev.weir.testkit.Composition.Motion;
import dev.weir.testkit.Composition.Part;
import dev.weir.testkit.Composition.Rate;
import dev.weir.testkit.Seed;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * Random trees of specifications, two or three deep, of a few leaves and limits of one key: with up to three limits by key
 * side by side, by the same or by other names.
 */
final class Trees implements Composition.Source {
    private static final int CELLS = 1 << 12;

    /** More than there are; nothing is evicted then. */
    private static final int MANY = 1_000;

    private static final int QUEUE = 5;

    /** More limits by key than any composition has. */
    private static final int KEYED = 3;

    private final boolean named;

    /** Trees whose limits by key count by names of dimensions, or by the whole key alone. */
    Trees(boolean named) {
        this.named = named;
    }

    /**
     * What the compositions of one history are made of, so that they have parts in common.
     *
     * @param perKey limits of one key: rates, concurrency limits and both
     * @param members limits by key and for all, for compositions that differ in one or two of them
     */
    private record Palette(
            List<Composition> leaves,
            List<Composition> perKey,
            List<Names> names,
            List<Long> maxKeys,
            List<Composition> members) {
        static Palette draw(SplittableRandom random, boolean named, IntFunction<Object> keys) {
            List<Composition> leaves = IntStream.range(0, random.nextInt(2, 7))
                    .mapToObj(i -> Leaves.draw(random, keys))
                    .toList();
            Composition rate = Leaves.rate(random);
            Composition other = Leaves.rate(random);
            Composition held = Leaves.concurrency(random, keys);
            Composition counted = Leaves.concurrency(random, keys);
            List<Composition> perKey = List.of(
                    rate,
                    held,
                    Trees.allOf(List.of(held, rate)),
                    Trees.allOf(List.of(rate, held)),
                    other,
                    counted,
                    Trees.allOf(List.of(rate, other)),
                    Trees.allOf(List.of(counted, held)));
            boolean evicts = random.nextBoolean();
            long few = random.nextInt(1, 4);
            Palette palette = new Palette(
                    leaves,
                    perKey,
                    named ? Names.SOME : List.of(Names.WHOLE_KEY),
                    evicts ? List.of(few, few + 1, (long) MANY) : List.of((long) MANY, MANY / 2L),
                    new ArrayList<>(leaves.subList(0, 2)));
            for (int i = 0; i < KEYED; i++) {
                palette.members.add(palette.keyed(random, palette.leaf(random)));
            }
            return palette;
        }

        /** Some of the members, in any order: what another one adds, leaves out or moves. */
        Composition some(SplittableRandom random) {
            List<Composition> left = new ArrayList<>(members);
            List<Composition> chosen = new ArrayList<>();
            for (int i = random.nextInt(1, 4); i > 0; i--) {
                chosen.add(left.remove(random.nextInt(left.size())));
            }
            return chosen.size() == 1 && random.nextBoolean() ? chosen.get(0) : Trees.allOf(chosen);
        }

        Composition leaf(SplittableRandom random) {
            return leaves.get(random.nextInt(leaves.size()));
        }

        Composition keyed(SplittableRandom random, Composition tree) {
            Composition one = random.nextInt(3) == 0 ? tree : perKey.get(random.nextInt(perKey.size()));
            Names by = names.get(random.nextInt(names.size()));
            return Trees.keyed(one, by, maxKeys.get(random.nextInt(maxKeys.size())), maxKeys.get(0) < MANY);
        }
    }

    @Override
    public Object key(int number) {
        return named ? Names.caller(number) : "k" + number;
    }

    @Override
    public boolean hasQueue() {
        return true;
    }

    @Override
    public AdmissionQueue queue(ManagedLimiter limiter, VirtualTime time) {
        return AdmissionQueue.builder("queue", limiter, QueueSpec.of(QUEUE))
                .ticker(time)
                .alarm(time)
                .executor(Runnable::run)
                .build();
    }

    @Override
    public List<Composition> draw(SplittableRandom random, int count) {
        Palette palette = Palette.draw(random, named, this::key);
        return IntStream.range(0, count).mapToObj(i -> draw(random, palette)).toList();
    }

    private static Composition draw(SplittableRandom random, Palette palette) {
        Composition drawn;
        do {
            drawn = random.nextInt(3) == 0 ? palette.some(random) : tree(random, palette, 2, KEYED);
        } while (warmsBesideOthers(drawn));
        return besideOthers(drawn);
    }

    /* Limits by the same names tell one limit, that of the first, so the others cannot be seen to rise. */
    private static boolean warmsBesideOthers(Composition tree) {
        List<Part> keyed =
                tree.parts().stream().filter(part -> part.by() != null).toList();
        return keyed.stream()
                .filter(part -> part.spec() instanceof WarmUp)
                .anyMatch(part -> keyed.stream()
                        .anyMatch(other -> other.place() != part.place() && Objects.equals(other.by(), part.by())));
    }

    /*
     * A pacer that another rate makes late keeps its slots where they are, if by less than its catch-up, and so catches up.
     * One that nobody had asked before counts its slots from that request on:
     *
     *     slots of 4, of the drained one     0   4   8   12        and a window that grants nothing before 10
     *     granted by the drained one                   10  12
     *     granted by a new one                         10    14
     */
    static Composition besideOthers(Composition tree) {
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
        return new Part(part.spec(), part.by(), part.place(), part.first(), part.limit(), later, part.drained());
    }

    private static Composition tree(SplittableRandom random, Palette palette, int depth, int keyed) {
        int shape = depth == 0 ? random.nextInt(6) : random.nextInt(14);
        return switch (shape) {
            case 0, 1, 2, 3 -> palette.leaf(random);
            case 6, 7, 8, 9 -> allOf(random, palette, depth, keyed);
            case 10, 11 -> warmUp(random, tree(random, palette, depth - 1, keyed));
            default ->
                keyed == 0
                        ? palette.leaf(random)
                        : palette.keyed(
                                random, depth == 0 ? palette.leaf(random) : tree(random, palette, depth - 1, 0));
        };
    }

    private static Composition allOf(SplittableRandom random, Palette palette, int depth, int keyed) {
        List<Composition> members = new ArrayList<>();
        int left = keyed;
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            Composition member = tree(random, palette, depth - 1, left);
            left -= (int) member.parts().stream()
                    .filter(part -> part.by() != null)
                    .mapToInt(Part::place)
                    .distinct()
                    .count();
            members.add(random.nextInt(members.size() + 1), member);
        }
        return allOf(members);
    }

    private static Composition warmUp(SplittableRandom random, Composition target) {
        if (target.motion() != Motion.NONE) {
            return target;
        }
        if (target.parts().get(0).law() instanceof Rate rate && rate.isByCost()) {
            return target; // goes on in place as another one does, so it does not count as a warm-up; see
            // SettledModelTest
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
        return new Part(spec, part.by(), part.place(), true, part.limit(), law, List.of(spec, part.spec()));
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
            place += 1 + member.parts().stream().mapToInt(Part::place).max().orElseThrow();
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

    /** A limit for each key, with as many keys as nothing is evicted for. */
    static Composition keyed(Composition perKey) {
        return keyed(perKey, Names.WHOLE_KEY, MANY, false);
    }

    /* If any table of the history evicts, all have the same cells. */
    private static Composition keyed(Composition perKey, Names by, long maxKeys, boolean evicts) {
        List<Part> parts =
                perKey.parts().stream().map(part -> part.forEachKey(by)).toList();
        boolean exact = perKey.exact() && parts.stream().noneMatch(part -> isSliced(part.spec(), evicts));
        int cells = evicts ? CELLS : 1;
        return new Composition(
                by.by(Keyed.of(perKey.spec(), maxKeys).withDebtCells(cells)),
                by.by(Keyed.of(perKey.spec(), evicts ? MANY : maxKeys).withDebtCells(cells)),
                parts,
                exact,
                perKey.motion());
    }

    /* Blocks begin when the key is first asked for. What an evicted log had granted comes back up to a slice late. */
    private static boolean isSliced(StrategySpec perKey, boolean evicts) {
        StrategySpec spec = perKey instanceof Settled settled ? settled.rate() : perKey;
        return spec instanceof SlidingWindow || (spec instanceof SlidingLog && evicts);
    }
}
