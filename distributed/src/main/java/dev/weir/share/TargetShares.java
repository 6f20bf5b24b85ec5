package dev.weir.share;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** The division of a quota, computed the same by each instance from the same rows. */
final class TargetShares {
    /*
     * Weighted max-min fairness: each row whose demand is at most its part gets its demand, and what is left is divided again
     * between the others, until each of them wants more than its part. If none is left that wants more, the rest is divided
     * between all. What remains of the integer division goes to one row after the other. If not every row gets something, the
     * first of those moves on with each epoch, so that none gets nothing for ever.
     */
    private static final int KEPT = 8;

    private final List<Row> rows;
    private final long[] shares;
    private final List<Integer> open = new ArrayList<>();
    private long left;

    private TargetShares(long total, List<Row> rows) {
        this.rows = rows;
        this.shares = new long[rows.size()];
        this.left = total;
    }

    /** The shares of these rows, in their order; their sum is the total, unless no row has a weight. */
    static long[] of(long total, List<Row> rows, long epoch) {
        TargetShares division = new TargetShares(total, rows);
        division.openAll();
        division.grantDemands(total);
        if (division.open.isEmpty()) {
            division.openAll();
        }
        division.divideRest(epoch);
        return division.shares;
    }

    /** {@code amount * numerator / denominator}, rounded down; saturates. */
    static long part(long amount, long numerator, long denominator) {
        if ((amount | numerator) >>> 31 == 0) {
            return amount * numerator / denominator;
        }
        return BigInteger.valueOf(amount)
                .multiply(BigInteger.valueOf(numerator))
                .divide(BigInteger.valueOf(denominator))
                .min(BigInteger.valueOf(Row.MAX))
                .longValue();
    }

    private void openAll() {
        for (int i = 0; i < shares.length; i++) {
            if (rows.get(i).weight() > 0) {
                open.add(i);
            }
        }
    }

    private long weights() {
        return open.stream().mapToLong(i -> rows.get(i).weight()).sum();
    }

    private void grantDemands(long total) {
        long all = weights();
        boolean again = true;
        while (again) {
            long weights = weights();
            long amount = left;
            again = open.removeIf(i -> {
                long weight = rows.get(i).weight();
                long kept = Math.max(1, part(total, weight, all) / KEPT);
                long demand = Math.max(rows.get(i).demand(), kept);
                boolean isMet = demand <= part(amount, weight, weights);
                shares[i] = isMet ? demand : 0;
                left -= shares[i];
                return isMet;
            });
        }
    }

    private void divideRest(long epoch) {
        if (open.isEmpty()) {
            return;
        }
        long weights = weights();
        long amount = left;
        boolean anyNothing = false;
        for (int i : open) {
            long part = part(amount, rows.get(i).weight(), weights);
            shares[i] += part;
            left -= part;
            anyNothing |= shares[i] == 0;
        }
        int n = open.size();
        int first = anyNothing ? (int) (epoch % n * left % n) : 0;
        for (int k = 0; k < left; k++) {
            shares[open.get((first + k) % n)]++;
        }
    }
}
