package dev.weir.share;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The next ledger that an instance writes.
 *
 * @param ledger the next ledger
 * @param granted the share of this instance in it
 * @param target the share that it will have when the others have given up theirs
 * @param quota the smallest quota that any of the live instances knows
 * @param index the position of this instance in the order of all
 * @param live how many instances take part
 * @param waits whether something depends on the next epoch
 * @param isIdShared whether another row has the id of this instance
 */
record Plan(
        Ledger ledger, long granted, long target, long quota, int index, int live, boolean waits, boolean isIdShared) {
    /* A row with the id of a member that is marked as gone for so long: its instance did not remove the mark in a lease. */
    private static final int CONFIRMED = 3;

    /**
     * Plans a change of this instance's row, and of rows whose instances have lowered themselves by now.
     *
     * @param mine what this instance wants to have in its row; its granted is what it enforces, and only read while the ledger
     *     is new
     * @param forgetAfter in epochs
     * @param marksTwins whether to mark other rows with the id of this instance as gone; a live owner removes the mark
     * @param overdue what this instance has seen of rows above their targets
     */
    static Plan of(
            Ledger before,
            Collection<String> members,
            Row mine,
            long forgetAfter,
            boolean marksTwins,
            Overdue overdue) {
        long epoch = before.epoch();
        long granted = before.isNew() ? mine.granted() : 0;
        List<Row> live = new ArrayList<>();
        List<Row> gone = new ArrayList<>();
        boolean isIdShared = false;
        for (Row row : before.rows()) {
            boolean isTwin =
                    row.instance().equals(mine.instance()) && !row.token().equals(mine.token());
            isIdShared |= isTwin;
            if (row.isOf(mine.instance(), mine.token())) {
                granted = row.granted();
            } else if (!members.contains(row.instance())) {
                addCut(gone, row.isGone() ? row : row.goneIn(epoch), epoch, forgetAfter);
            } else if (row.isGone() && epoch - row.gone() >= CONFIRMED) {
                addCut(gone, row, epoch, forgetAfter);
            } else {
                live.add(isTwin && marksTwins && !row.isGone() ? row.goneIn(epoch) : row);
            }
        }
        live.add(mine.withGranted(granted));
        return of(new Ledger(epoch, live).rows(), gone, epoch, mine, isIdShared, overdue);
    }

    private static void addCut(List<Row> gone, Row row, long epoch, long forgetAfter) {
        Row cut = row.withGranted(Math.min(row.granted(), row.degraded()));
        if (cut.granted() > 0 && epoch - cut.gone() <= forgetAfter) {
            gone.add(cut);
        }
    }

    private static Plan of(List<Row> live, List<Row> gone, long epoch, Row mine, boolean isIdShared, Overdue overdue) {
        long quota = live.stream().mapToLong(Row::quota).min().orElse(0);
        long kept = gone.stream().mapToLong(Row::granted).reduce(0, Row::sum);
        long total = Math.max(0, quota - kept);
        long[] targets = TargetShares.of(total, live, epoch);
        int index = 0;
        long others = kept;
        boolean isNew = epoch == Ledger.NEW;
        boolean waits = isNew || isIdShared || !gone.isEmpty();
        for (int i = 0; i < targets.length; i++) {
            Row row = live.get(i);
            boolean isMine = row.isOf(mine.instance(), mine.token());
            index = isMine ? i : index;
            others = isMine ? others : Row.sum(others, row.granted());
            waits |= row.isGone() || targets[i] == 0;
        }
        long target = targets[index];
        long before = live.get(index).granted();
        long room = isNew ? 0 : quota - others;
        long wanted = isNew ? target : overdue.targets(total, live, mine, targets, epoch)[index];
        long granted = wanted <= before ? wanted : Math.min(wanted, Math.max(before, room));
        List<Row> rows = new ArrayList<>(live);
        rows.set(index, mine.withGranted(granted));
        rows.addAll(gone);
        return new Plan(new Ledger(epoch, rows), granted, target, quota, index, live.size(), waits, isIdShared);
    }

    Plan inNextEpoch() {
        Ledger next = new Ledger(ledger.epoch() + 1, ledger.rows());
        return new Plan(next, granted, target, quota, index, live, waits, isIdShared);
    }
}
