package dev.weir.succession;

import dev.weir.Ticker;
import dev.weir.spi.Account;

/** The instant at which a rate will have refilled, in nanoseconds since this was created; 0 = it has refilled. */
final class SteadyState implements EvictedState {
    private final Ticker ticker;
    private final long began;

    SteadyState(Ticker ticker) {
        this.ticker = ticker;
        this.began = ticker.read();
    }

    @Override
    public int longs() {
        return 1;
    }

    @Override
    public boolean write(PartStrategy evicted, long[] state) {
        Account account = evicted.account();
        long nanos = account == null ? 0 : account.nanosUntilRefilled();
        state[0] = nanos == 0 ? 0 : Math.max(1, ticker.read() - began + nanos);
        return true;
    }

    @Override
    public PartStrategy read(long[] state, PartStrategy fresh) {
        return IndebtedRate.lasting(fresh, left(state), ticker);
    }

    private long left(long[] state) {
        return state[0] == 0 ? 0 : Math.max(0, state[0] - (ticker.read() - began));
    }

    @Override
    public boolean isFree(long[] state) {
        return left(state) == 0;
    }
}
