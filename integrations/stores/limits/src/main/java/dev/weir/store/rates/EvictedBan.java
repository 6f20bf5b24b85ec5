package dev.weir.store.rates;

import dev.weir.Ticker;
import dev.weir.spi.Account;
import dev.weir.succession.EvictedState;
import dev.weir.succession.PartStrategy;

/** The ban of an evicted key: its end, in nanoseconds since a reading of the ticker. 0 = there is none. */
record EvictedBan(Ticker ticker, long began) implements EvictedState {
    @Override
    public int longs() {
        return 1;
    }

    @Override
    public boolean write(PartStrategy evicted, long[] state) {
        long left = ((LocalBan) evicted).remainingBan();
        state[0] = left == 0 ? 0 : Math.max(1, ticker.read() - began + left);
        Account account = evicted.account();
        return account == null || account.used() == 0;
    }

    private long left(long[] state) {
        return state[0] == 0 ? 0 : Math.max(0, state[0] - (ticker.read() - began));
    }

    @Override
    public PartStrategy read(long[] state, PartStrategy fresh) {
        long left = left(state);
        if (left > 0 && fresh instanceof LocalBan ban) {
            ban.ban(left);
        }
        return fresh;
    }

    @Override
    public boolean isFree(long[] state) {
        return left(state) == 0;
    }
}
