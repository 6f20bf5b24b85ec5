package dev.weir.store;

import dev.weir.Decision;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Totals of requests that were granted, and of those that were refused, by reason. Thread-safe. */
final class DecisionTotals {
    private static final Reason[] REASONS = Reason.values();

    private final LongAdder granted = new LongAdder();
    private final LongAdder[] refused = new LongAdder[REASONS.length];

    DecisionTotals() {
        Arrays.setAll(refused, i -> new LongAdder());
    }

    void count(Decision decision) {
        if (decision instanceof Rejection rejection) {
            refused[rejection.reason().ordinal()].increment();
        } else {
            granted.increment();
        }
    }

    long granted() {
        return granted.sum();
    }

    Map<Reason, Long> refused() {
        Map<Reason, Long> totals = new EnumMap<>(Reason.class);
        for (Reason reason : REASONS) {
            long total = refused[reason.ordinal()].sum();
            if (total > 0) {
                totals.put(reason, total);
            }
        }
        return totals;
    }
}
