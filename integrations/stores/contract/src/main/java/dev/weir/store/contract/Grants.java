package dev.weir.store.contract;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.store.contract.Specs.Bound;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongUnaryOperator;

/** Permits by the time of the server at which they were granted. */
public final class Grants {
    private record Grant(long at, long permits) {}

    private final List<Grant> grants = new ArrayList<>();

    /** None yet. */
    public Grants() {}

    public void add(long at, Decision decision) {
        if (decision.granted() > 0) {
            grants.add(new Grant(at, decision.granted()));
        }
    }

    /** The same by time, for answers that came in another order. */
    Grants inOrder() {
        grants.sort(Comparator.comparingLong(Grant::at));
        return this;
    }

    public void check(Bound bound, String what) {
        checkAll(bound::within, what);
    }

    /** Within the largest burst and the largest rate. */
    public void checkLargest(List<Bound> bounds, String what) {
        long burst = bounds.stream().mapToLong(Bound::burst).max().orElseThrow();
        checkAll(
                time -> burst
                        + bounds.stream()
                                .mapToLong(bound -> bound.within(time) - bound.burst())
                                .max()
                                .orElseThrow(),
                what);
    }

    /** In any half-open window. */
    public void checkWindow(long limit, Duration period, String what) {
        long micros = (period.toNanos() + 999) / 1_000;
        checkAll(time -> time < micros ? limit : Long.MAX_VALUE, what);
    }

    private void checkAll(LongUnaryOperator most, String what) {
        for (int from = 0; from < grants.size(); from++) {
            long sum = 0;
            for (int to = from; to < grants.size(); to++) {
                sum += grants.get(to).permits();
                long time = grants.get(to).at() - grants.get(from).at();
                long granted = sum;
                assertTrue(sum <= most.applyAsLong(time), () -> what + ": " + granted + " in " + time + " us");
            }
        }
    }
}
