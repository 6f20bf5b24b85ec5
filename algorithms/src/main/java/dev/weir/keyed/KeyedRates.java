package dev.weir.keyed;

import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.spi.RampProgress;
import dev.weir.spi.Strategy;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/** A rate for each key: a grant holds nothing, so the table itself answers and no permit needs the key's own strategy. */
final class KeyedRates implements Strategy {
    /*
     * A grant counts only if it was spent before the strategy was done with. Who takes a strategy out moves the counter
     * of its key's stripe twice, around everything; who spends looks at it before and after:
     *
     *     spender                              evictor, under the key's lock
     *     reads moves: nobody is moving
     *     looks the strategy up
     *                                          moves: somebody is moving      (begin)
     *                                          reads the debt and writes it down
     *     spends, too late
     *                                          the key is out
     *                                          moves: nobody is moving        (end)
     *     reads moves: not what it was
     *
     * If `moves` is the same at the end and nobody was moving, no debt of this key was read between, so whoever reads it
     * later sees what was spent. If not, the spender asks under the key's lock whether its strategy is still the one; if
     * it is not, what it spent went with it, and it asks the new one, which owes what was written down. The refusal of
     * a strategy that was done with is asked again likewise. A stripe is shared by many keys; sharing costs a look.
     */
    private static final int STRIPES = 1 << 10;
    private static final long MOVING = 0xFFFF;
    private static final long BEGIN = MOVING + 2;
    private static final long END = -1;

    private final AtomicLongArray moves = new AtomicLongArray(STRIPES);
    private final Residents<Strategy> residents;

    KeyedRates(Keyed spec, Rule rule, Strategy pattern) {
        residents = new Residents<>(spec, rule, pattern, new Rates());
    }

    private final class Rates implements Residents.Kind<Strategy> {
        @Override
        public Strategy enters(Object key, Residents.Regime by) {
            return residents.create(key, by);
        }

        @Override
        public void leaves(Object key, Strategy strategy) {
            moves.getAndAdd(stripe(key), BEGIN);
            residents.remember(key, strategy, null);
        }

        @Override
        public void left(Object key) {
            moves.getAndAdd(stripe(key), END);
        }

        @Override
        public void change(Object key, Strategy strategy, Rule from, Rule to) {
            moves.getAndAdd(stripe(key), BEGIN);
            try {
                Strategy next = to.succeed(strategy, from);
                if (next != strategy) {
                    residents.replace(key, strategy, next);
                }
            } finally {
                moves.getAndAdd(stripe(key), END);
            }
        }
    }

    private static int stripe(Object key) {
        int hash = key.hashCode();
        return (hash ^ (hash >>> 16)) & (STRIPES - 1);
    }

    boolean isBy(int dimension) {
        return residents.isBy(dimension);
    }

    boolean change(Keyed spec) {
        Rule next = residents.rule().next(spec);
        if (next.create().holds()) {
            return false;
        }
        residents.change(spec, next);
        return true;
    }

    @Override
    public long acquire(Request request) {
        Object key = residents.keyOf(request);
        if (key == null) {
            return NEVER;
        }
        int stripe = stripe(key);
        for (; ; ) {
            long before = moves.get(stripe);
            Strategy strategy = residents.entry(key);
            long answer = strategy.acquire(request);
            boolean quiet = (before & MOVING) == 0 && moves.get(stripe) == before;
            if (quiet || residents.settled(key) == strategy) {
                residents.saw(request, answer);
                return answer;
            }
        }
    }

    @Override
    public void refund(Request request, long grantedAt) {
        Object key = residents.keyOf(request);
        if (key != null) {
            residents.entry(key).refund(request, grantedAt);
        }
    }

    @Override
    public Rejection.Reason reason(Request request, long answer) {
        return residents.pattern().reason(request, answer);
    }

    @Override
    public boolean holds() {
        return false;
    }

    @Override
    public long limit() {
        return residents.pattern().limit();
    }

    @Override
    public long target() {
        return residents.pattern().target();
    }

    @Override
    public @Nullable RampProgress ramp() {
        return residents.pattern().ramp();
    }

    @Override
    public void setLimit(long limit) {
        residents.setLimit(limit);
    }

    @Override
    public Map<String, Long> details() {
        return residents.details();
    }
}
