package dev.weir.store.state;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A sliding window: counted in blocks, or as a log of all grants of the last period by their time.
 *
 * @param period microseconds
 */
record SlidingState(WindowLimit limit, long period, Head head) implements Arithmetic {
    /** The most permits of a log that one call takes. */
    private static final long LARGEST = 1L << 31;

    /** {@code length}: microseconds of a block. */
    static SlidingState window(WindowLimit limit, long length, long blocks) {
        return new SlidingState(
                limit,
                Units.times(blocks, length),
                Head.of(StateRule.WINDOW, limit.leak(), limit.cost(), limit.permits(), length, blocks));
    }

    static SlidingState log(WindowLimit limit, long period) {
        return new SlidingState(
                limit, period, Head.of(StateRule.LOG, limit.leak(), limit.cost(), limit.permits(), period));
    }

    @Override
    public StateStep step(@Nullable State state, Call call) {
        State own = state != null && continues(state) ? state : null;
        long now = call.now();
        SlidingCounts counts = SlidingCounts.of(own == null ? head.unused(now) : own, now);
        WindowDebt debt = WindowDebt.beside(limit, state, own != null, call);
        long most = limit.permits();
        if (call.isNever(most)) {
            return call.never(figures(counts, debt));
        }
        long granted = call.taken(debt.room(counts.used()), most, Math.max(counts.reset(), debt.reset()));
        granted = isLog() ? Math.min(LARGEST, granted) : granted;
        boolean isSame = own != null && own.parameters()[State.LIMIT] == most;
        byte[] next = null;
        if (granted != 0 || (state != null && (!isSame || now < state.at()))) {
            if (granted > 0) {
                counts.count(granted, most);
            } else if (call.kind() != Call.Kind.OVERDRAW || call.held() < period) {
                counts.refund(-granted);
            }
            debt.add(granted, counts.used());
            long[] numbers = {now, debt.units(), debt.ceiling(), counts.ahead(), counts.base()};
            next = head.state(numbers, counts.elements());
        }
        Call.Figures figures = figures(counts, debt);
        long wait = call.isOver(most)
                ? figures.reset()
                : Math.max(counts.await(call.wanted(), most), debt.await(call.wanted()));
        return call.answer(next, figures.reset(), granted, figures, wait);
    }

    private boolean isLog() {
        return head.rule() == StateRule.LOG;
    }

    /** A log does not if its total needs too many digits: what is used becomes a debt then. */
    private boolean continues(State state) {
        int first = State.LIMIT + 1;
        long[] own = head.parameters();
        long[] entries = state.elements();
        return state.rule() == head.rule()
                && Arrays.equals(state.parameters(), first, own.length, own, first, own.length)
                && (!isLog() || entries.length == 0 || entries[entries.length - 2] < Units.MOST / 2);
    }

    private Call.Figures figures(SlidingCounts counts, WindowDebt debt) {
        return new Call.Figures(debt.room(counts.used()), limit.permits(), Math.max(counts.reset(), debt.reset()));
    }
}
