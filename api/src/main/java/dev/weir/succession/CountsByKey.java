package dev.weir.succession;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A limit by key: a table of strategies, which continues with whatever limits each key has. */
public interface CountsByKey extends PartStrategy {
    /** The same table for grants that hold their permits, if those of this one do not; otherwise for grants that do not. */
    CountsByKey otherwise();

    /**
     * From now on {@link #inFlight} is the sum of these, and each grant is counted by one of {@code total} until it is
     * released; null = something else counts it. Called while nothing is granted.
     */
    void countIn(List<InFlight> all, @Nullable KeyedTotal total);
}
