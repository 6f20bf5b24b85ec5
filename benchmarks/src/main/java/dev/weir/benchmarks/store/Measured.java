package dev.weir.benchmarks.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** One row, its contender, and what was measured of it. */
final class Measured implements AutoCloseable {
    private final StoreRow row;
    private final Contender contender;
    private final List<Turn.Figures> turns = new ArrayList<>();
    private @Nullable KeyMemory memory;

    Measured(StoreRow row, Contender contender) {
        this.row = row;
        this.contender = contender;
    }

    StoreRow row() {
        return row;
    }

    Contender contender() {
        return contender;
    }

    void add(Turn.Figures turn) {
        turns.add(turn);
    }

    void memory(KeyMemory bytes) {
        memory = bytes;
    }

    @Nullable
    KeyMemory memory() {
        return memory;
    }

    /** The median of all turns. */
    double median(ToDoubleFunction<Turn.Figures> figure) {
        return middle(turns.stream().mapToDouble(figure).toArray());
    }

    /** The median of what a turn is to the other's turn of the same round, so that what a round has in common does not count. */
    double perSecondTo(Measured other) {
        double[] ratios = new double[turns.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = turns.get(i).perSecond() / other.turns.get(i).perSecond();
        }
        return middle(ratios);
    }

    private static double middle(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    @Override
    public void close() {
        contender.close();
    }
}
