package dev.weir.share;

import dev.weir.Ticker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rows that stay above their targets, because their instances were stopped, were cut off or have crashed. What these keep
 * until their leases end is lacking to all others alike, not only to those that came last. Confined to the rounds.
 */
final class Overdue {
    private record Above(long granted, long at) {}

    /** Nanoseconds after which a row is overdue: its instance had time for two rounds, of which one may have been outrun. */
    static final long AFTER = Rounds.INTERVAL * 5 / 2;

    private final Ticker ticker;
    private Map<String, Above> above = new HashMap<>();
    private boolean isPending;

    Overdue(Ticker ticker) {
        this.ticker = ticker;
    }

    /** True if a row was above its target in the last {@link #targets} and is not overdue yet. */
    boolean isPending() {
        return isPending;
    }

    /**
     * The targets if the others divide what the overdue rows leave; none is above its fair one.
     *
     * @param total what is divided between all rows
     * @param fair the targets if each row can be lowered
     */
    long[] targets(long total, List<Row> rows, Row mine, long[] fair, long epoch) {
        boolean[] isOverdue = find(rows, mine, fair);
        List<Row> others = new ArrayList<>();
        long kept = 0;
        long held = 0;
        for (int i = 0; i < fair.length; i++) {
            Row row = rows.get(i);
            if (isOverdue[i]) {
                kept = Row.sum(kept, row.granted());
            } else {
                others.add(row);
                held = Row.sum(held, row.granted());
            }
        }
        if (kept == 0) {
            return fair;
        }
        // At least what the others hold: if junk counts as all there is, nobody has more when these lower themselves.
        long[] parts = TargetShares.of(Math.max(total - kept, held), others, epoch);
        long[] targets = fair.clone();
        int next = 0;
        for (int i = 0; i < targets.length; i++) {
            targets[i] = isOverdue[i] ? fair[i] : Math.min(fair[i], parts[next++]);
        }
        return targets;
    }

    private boolean[] find(List<Row> rows, Row mine, long[] fair) {
        Map<String, Above> now = new HashMap<>();
        boolean[] isOverdue = new boolean[fair.length];
        isPending = false;
        for (int i = 0; i < fair.length; i++) {
            Row row = rows.get(i);
            if (row.granted() > fair[i] && !row.isOf(mine.instance(), mine.token())) {
                Above since = since(row);
                now.put(row.token(), since);
                isOverdue[i] = ticker.read() - since.at() >= AFTER;
                isPending |= !isOverdue[i];
            }
        }
        above = now;
        return isOverdue;
    }

    private Above since(Row row) {
        @Nullable Above before = above.get(row.token());
        return before != null && before.granted() == row.granted() ? before : new Above(row.granted(), ticker.read());
    }
}
