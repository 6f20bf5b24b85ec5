package dev.weir.store.state;

import org.jspecify.annotations.Nullable;

/**
 * An even rate that refuses a key for a chosen time after the first request that does not fit, or was charged and does not fit.
 * Requests during that time do not extend it.
 *
 * @param span microseconds
 */
record BanState(EvenRate rate, long span, Head head) implements Arithmetic {
    private static final int BANNED = 4;

    static BanState of(EvenRate rate, long span) {
        Head head = Head.of(StateRule.BAN, rate.leak(), rate.cost(), rate.cap(), rate.largest(), span);
        return new BanState(rate, span, head);
    }

    @Override
    public StateStep step(@Nullable State state, Call call) {
        boolean continues = state != null && head.begins(state);
        EvenUse use = EvenUse.of(rate, state, continues ? 1 : -1, call);
        long now = call.now();
        long banned = banned(state, now);
        long before = banned > 0 ? 0 : use.room();
        if (call.isNever(rate.largest())) {
            return call.never(figures(use, banned));
        }
        long granted = call.taken(before, rate.largest(), Math.max(use.reset(), banned));
        boolean starts = banned == 0 && call.permits() > 0 && (granted < call.permits() || granted > before);
        byte[] next = null;
        if (granted != 0 || starts || (state != null && (!continues || now < state.at()))) {
            use.take(granted);
            banned = starts ? span : banned;
            long until = banned > 0 ? now + banned : 0;
            next = head.state(now, use.units(), use.ceiling(), use.missing(), until);
        }
        Call.Figures figures = figures(use, banned);
        return call.answer(next, figures.reset(), granted, figures, Math.max(use.await(), banned));
    }

    /** Microseconds until the ban ends, also one of other parameters; 0 = there is none. A time that goes back does not extend it. */
    private static long banned(@Nullable State state, long now) {
        if (state == null || state.rule() != StateRule.BAN) {
            return 0;
        }
        return Math.max(0, state.numbers()[BANNED] - Math.max(now, state.at()));
    }

    private Call.Figures figures(EvenUse use, long banned) {
        return new Call.Figures(banned > 0 ? 0 : use.room(), rate.limit(), Math.max(use.reset(), banned));
    }
}
