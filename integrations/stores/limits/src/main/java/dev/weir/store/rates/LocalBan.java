package dev.weir.store.rates;

import dev.weir.Permit.Quota;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Account;
import dev.weir.spi.Traits;
import dev.weir.succession.EvictedState;
import dev.weir.succession.PartStrategy;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The strategy of {@link Ban} in one instance. */
final class LocalBan implements PartStrategy {
    private static final long NONE = 0;

    private final PartStrategy limit;
    private final Ticker ticker;
    private final long time;
    private final long origin;

    /** Nanoseconds since the origin, at least 1. */
    private final AtomicLong until = new AtomicLong(NONE);

    LocalBan(PartStrategy limit, Ticker ticker, long time) {
        this.limit = limit;
        this.ticker = ticker;
        this.time = time;
        this.origin = ticker.read();
    }

    @Override
    public long acquire(Request request) {
        long banned = remainingBan();
        if (banned > 0) {
            return banned;
        }
        long answer = limit.acquire(request);
        if (answer == GRANTED || answer == NEVER) {
            return answer;
        }
        long ended = until.get();
        if (!isOver(ended)) {
            return remainingBan();
        }
        until.compareAndSet(ended, Math.max(1, ticker.read() - origin + time));
        return Math.max(answer, Math.max(1, remainingBan()));
    }

    private boolean isOver(long ban) {
        return ban == NONE || ban - (ticker.read() - origin) <= 0;
    }

    /** Bans for so long from now on, on a strategy that was just made. */
    void ban(long nanos) {
        until.set(Math.max(1, ticker.read() - origin + nanos));
    }

    /** Nanoseconds until the ban ends; 0 = there is none. */
    long remainingBan() {
        long ban = until.get();
        return ban == NONE ? 0 : Math.max(0, ban - (ticker.read() - origin));
    }

    @Override
    public void refund(Request request, long grantedAt) {
        limit.refund(request, grantedAt);
    }

    @Override
    public Traits traits() {
        return limit.traits();
    }

    @Override
    public Set<Reason> reasons() {
        return limit.reasons();
    }

    @Override
    public long limit() {
        return limit.limit();
    }

    @Override
    public void setLimit(long next) {
        limit.setLimit(next);
    }

    @Override
    public @Nullable Quota quota(Request request) {
        Quota own = limit.quota(request);
        long banned = remainingBan();
        return own == null || banned == 0
                ? own
                : new Quota(own.limit(), 0, Math.max(banned, own.resetNanos()), own.windowNanos());
    }

    @Override
    public @Nullable Account account() {
        return limit.account();
    }

    /** The ban of an evicted key: its end, in nanoseconds since a reading of the ticker. 0 = there is none. */
    record Evicted(Ticker ticker, long began) implements EvictedState {
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
}
