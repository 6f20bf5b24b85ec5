package dev.weir.verification.composition;

import dev.weir.algorithms.AllOf;
import dev.weir.keyed.Keyed;
import dev.weir.testkit.Composition;
import dev.weir.testkit.Composition.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Random trees of specifications, two or three deep, from a few leaves, so that they have parts in common. */
final class Trees implements Composition.Source {
    private static final int CELLS = 1 << 12;

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
        long maxKeys = !byKey ? 0 : evicts && random.nextBoolean() ? random.nextInt(1, 4) : 1_000;
        return IntStream.range(0, count)
                .mapToObj(i -> tree(random, palette, 2, maxKeys))
                .toList();
    }

    private static Composition tree(SplittableRandom random, List<Composition> leaves, int depth, long maxKeys) {
        int shape = depth == 0 ? 0 : random.nextInt(10);
        return switch (shape) {
            case 0, 1, 2, 3 -> leaves.get(random.nextInt(leaves.size()));
            case 4, 5, 6, 7 -> allOf(random, leaves, depth, maxKeys);
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

    static Composition allOf(List<Composition> members) {
        List<Part> parts = new ArrayList<>();
        int place = 0;
        for (Composition member : members) {
            for (Part part : member.parts()) {
                parts.add(new Part(
                        part.spec(), part.byKey(), place + part.place(), part.first(), part.limit(), part.law()));
            }
            place += member.spec().parts().size();
        }
        return new Composition(
                new AllOf(members.stream().map(Composition::spec).toList()),
                new AllOf(members.stream().map(Composition::roomy).toList()),
                parts,
                members.stream().allMatch(Composition::exact),
                members.stream().anyMatch(Composition::moves));
    }

    /* What is given back after its key was evicted stays used: the cells of the sketch belong to other keys too. */
    static Composition keyed(Composition perKey, long maxKeys) {
        List<Part> parts = new ArrayList<>();
        for (Part part : perKey.parts()) {
            parts.add(new Part(part.spec(), true, 0, part.first() && part.place() == 0, part.limit(), part.law()));
        }
        boolean exact = perKey.exact() && maxKeys > 100;
        return new Composition(
                Keyed.of(perKey.spec(), maxKeys).withDebtCells(CELLS),
                Keyed.of(perKey.spec(), 1_000).withDebtCells(CELLS),
                parts,
                exact,
                perKey.moves());
    }
}
