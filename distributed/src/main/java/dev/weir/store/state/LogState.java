package dev.weir.store.state;

import dev.weir.store.state.StateRate.WindowLimit;
import org.jspecify.annotations.Nullable;

/**
 * A sliding log: all grants of the last period by their time.
 *
 * @param period microseconds
 */
record LogState(WindowLimit limit, long period, Head head) implements Arithmetic {
    private static final int PERIOD = 3;

    /** The most permits that one call takes. */
    private static final long LARGEST = 1L << 31;

    static LogState of(WindowLimit limit, long period) {
        return new LogState(limit, period, new Head(Rule.LOG, limit.leak(), limit.cost(), limit.permits(), period));
    }

    @Override
    public Step step(@Nullable State state, Call call) {
        State own = state != null && continues(state) ? state : null;
        long now = call.now();
        Entries log = own == null ? Entries.empty(period, now) : Entries.of(own, now);
        Debt debt = Debt.beside(limit, state, own != null, call);
        long most = limit.permits();
        if (call.isNever(most)) {
            return call.never(figures(log, debt));
        }
        long room = debt.room(log.used());
        long granted = Math.min(LARGEST, call.taken(room, most, Math.max(log.reset(), debt.reset())));
        boolean isSame = own != null && own.parameters()[State.LIMIT] == most;
        byte[] next = null;
        if (granted != 0 || (state != null && (!isSame || now < state.at()))) {
            if (granted > 0) {
                log.count(granted, most);
            } else if (call.kind() != Call.Kind.OVERDRAW || call.held() < period) {
                log.refund(-granted);
            }
            debt.add(granted, log.used());
            next = log.packed(head, debt, now);
        }
        Call.Figures figures = figures(log, debt);
        long wait = call.isOver(most)
                ? figures.reset()
                : Math.max(log.await(call.wanted(), most), debt.await(call.wanted()));
        return call.answer(next, figures.reset(), granted, figures, wait);
    }

    /** Not if its total needs too many digits: what is used becomes a debt then. */
    private boolean continues(State state) {
        long[] entries = state.elements();
        return state.rule() == Rule.LOG
                && state.parameters()[PERIOD] == period
                && (entries.length == 0 || entries[entries.length - 2] < Units.MOST / 2);
    }

    private Call.Figures figures(Entries log, Debt debt) {
        return new Call.Figures(debt.room(log.used()), limit.permits(), Math.max(log.reset(), debt.reset()));
    }
}
