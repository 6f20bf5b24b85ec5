package dev.weir.store.state;

import dev.weir.store.state.StateRate.WindowLimit;
import org.jspecify.annotations.Nullable;

/**
 * A sliding window counted in blocks. One block more than the period has counts, because the oldest lies across the start of the
 * window.
 *
 * @param length microseconds of a block
 */
record WindowState(WindowLimit limit, long length, long blocks, Head head) implements Arithmetic {
    private static final int LENGTH = 3;
    private static final int BLOCKS = 4;

    static WindowState of(WindowLimit limit, long length, long blocks) {
        Head head = new Head(Rule.WINDOW, limit.leak(), limit.cost(), limit.permits(), length, blocks);
        return new WindowState(limit, length, blocks, head);
    }

    @Override
    public Step step(@Nullable State state, Call call) {
        State own = state != null && continues(state) ? state : null;
        long now = call.now();
        Blocks counts = own == null ? Blocks.empty(length, blocks, now) : Blocks.of(own, now);
        Debt debt = Debt.beside(limit, state, own != null, call);
        long used = counts.used();
        long most = limit.permits();
        if (call.isNever(most)) {
            return call.never(figures(counts, debt, used));
        }
        long granted = call.taken(debt.room(used), most, Math.max(counts.reset(), debt.reset()));
        boolean isSame = own != null && own.parameters()[State.LIMIT] == most;
        byte[] next = null;
        if (granted != 0 || (state != null && (!isSame || now < state.at()))) {
            long counted = isOld(granted, call) ? 0 : granted;
            if (counted > 0) {
                counts.count(counted);
            } else {
                counts.refund(-counted);
            }
            used = Units.added(used, counted);
            debt.add(granted, used);
            next = counts.packed(head, debt, now);
        }
        Call.Figures figures = figures(counts, debt, used);
        long wait = call.isOver(most)
                ? figures.reset()
                : Math.max(counts.await(call.wanted(), most), debt.await(call.wanted()));
        return call.answer(next, figures.reset(), granted, figures, wait);
    }

    private boolean continues(State state) {
        return state.rule() == Rule.WINDOW
                && state.parameters()[LENGTH] == length
                && state.parameters()[BLOCKS] == blocks;
    }

    /** Whether a refund is of permits that count no more. */
    private boolean isOld(long granted, Call call) {
        return granted < 0 && call.kind() == Call.Kind.OVERDRAW && call.held() >= Units.times(blocks, length);
    }

    private Call.Figures figures(Blocks counts, Debt debt, long used) {
        return new Call.Figures(debt.room(used), limit.permits(), Math.max(counts.reset(), debt.reset()));
    }
}
