package dev.weir.succession;

import dev.weir.spi.StrategySpec;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BiPredicate;

/** Which parts of a specification continue which parts of an earlier one. */
public final class Predecessors {
    private Predecessors() {}

    /**
     * For each of these parts the index of the earlier part that it continues: one that is equal, whatever limit was set, or else
     * the first that is {@linkplain #isLike like} it; -1 if there is none. No part is continued twice.
     */
    public static int[] of(List<? extends StrategySpec> earlier, List<? extends StrategySpec> parts) {
        int[] pairs = new int[parts.size()];
        Arrays.fill(pairs, -1);
        pair(pairs, earlier, parts, (one, other) -> DialedSpec.undialed(one).equals(DialedSpec.undialed(other)));
        pair(pairs, earlier, parts, Predecessors::isLike);
        return pairs;
    }

    private static void pair(
            int[] pairs,
            List<? extends StrategySpec> earlier,
            List<? extends StrategySpec> parts,
            BiPredicate<StrategySpec, StrategySpec> fits) {
        for (int i = 0; i < pairs.length; i++) {
            for (int from = 0; from < earlier.size() && pairs[i] < 0; from++) {
                int candidate = from;
                boolean isTaken = Arrays.stream(pairs).anyMatch(pair -> pair == candidate);
                if (!isTaken && fits.test(earlier.get(from), parts.get(i))) {
                    pairs[i] = from;
                }
            }
        }
    }

    /** True if two parts count by the same names and are of the same kind. */
    static boolean isLike(StrategySpec one, StrategySpec other) {
        PartSpec first = Parts.of(one);
        PartSpec second = Parts.of(other);
        return first.kind() == second.kind() && Objects.equals(first.countsBy(), second.countsBy());
    }
}
