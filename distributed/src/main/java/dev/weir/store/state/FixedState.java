package dev.weir.store.state;

import org.jspecify.annotations.Nullable;

/**
 * Fixed windows, which begin at multiples of the period of the store's time or with the first permit.
 *
 * @param period microseconds
 */
record FixedState(WindowLimit limit, long period, boolean isAligned, Head head) implements Arithmetic {
    private static final int PERIOD = 3;
    private static final int ALIGNED = 4;
    private static final int START = 3;
    private static final int COUNT = 4;

    static FixedState of(WindowLimit limit, long period, boolean isAligned) {
        Head head = Head.of(StateRule.FIXED, limit.leak(), limit.cost(), limit.permits(), period, isAligned ? 1 : 0);
        return new FixedState(limit, period, isAligned, head);
    }

    @Override
    public StateStep step(@Nullable State state, Call call) {
        State own = state != null && continues(state) ? state : null;
        Window window = new Window(own, call, WindowDebt.beside(limit, state, own != null, call));
        if (call.isNever(limit.permits())) {
            return call.never(window.figures());
        }
        long granted = call.taken(window.room(), limit.permits(), window.reset());
        boolean isSame = own != null && own.parameters()[State.LIMIT] == limit.permits();
        boolean back = state != null && call.now() < state.at() && !isAligned;
        byte[] next = null;
        if (granted != 0 || (state != null && !isSame) || back) {
            window.take(granted);
            next = window.packed();
        }
        return call.answer(next, window.lives(), granted, window.figures(), window.await());
    }

    private boolean continues(State state) {
        return state.rule() == StateRule.FIXED
                && state.parameters()[PERIOD] == period
                && state.parameters()[ALIGNED] == (isAligned ? 1 : 0);
    }

    /** The window at the time of a call. */
    private final class Window {
        private final Call call;
        private final long time;
        private final WindowDebt debt;
        private long start;
        private long count;

        Window(@Nullable State own, Call call, WindowDebt debt) {
            this.call = call;
            this.debt = debt;
            long now = call.now();
            time = own != null && isAligned ? Math.max(now, own.at()) : now;
            if (own != null) {
                start = own.numbers()[START] - (isAligned ? 0 : Math.max(0, own.at() - now));
                count = time - start >= period ? 0 : own.numbers()[COUNT];
            }
        }

        long room() {
            return debt.room(count);
        }

        private long ending() {
            return count > 0 ? start + period - time : 0;
        }

        long reset() {
            return Math.max(ending(), debt.reset());
        }

        /**
         * Microseconds for which the state is kept: what has leaked of it is known for as long again as the window counts. The end of an
         * aligned window is later for a clock that has gone back.
         */
        long lives() {
            return time - call.now() + Math.max(reset(), Math.min(debt.leaks(), 2 * reset()));
        }

        long await() {
            if (call.isOver(limit.permits())) {
                return reset();
            }
            long ends = count + call.wanted() > limit.permits() ? ending() : 0;
            return Math.max(ends, debt.await(call.wanted()));
        }

        void take(long permits) {
            if (count == 0) {
                start = isAligned ? time - time % period : time;
            }
            if (permits > 0 || call.kind() != Call.Kind.OVERDRAW || time - start >= call.held()) {
                count = Units.added(count, permits);
            }
            debt.add(permits, count);
        }

        byte[] packed() {
            return head.state(time, debt.units(), debt.ceiling(), Math.max(0, start), count);
        }

        Call.Figures figures() {
            return new Call.Figures(room(), limit.permits(), reset());
        }
    }
}
