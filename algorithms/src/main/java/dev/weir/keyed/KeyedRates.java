package dev.weir.keyed;

import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.spi.RampProgress;
import dev.weir.spi.Strategy;
import dev.weir.spi.Traits;
import dev.weir.succession.Succession;
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
    private final KeyTable<Strategy> table;

    KeyedRates(Keyed spec, Rule rule) {
        table = new KeyTable<>(spec, rule, new Rates());
    }

    private final class Rates implements KeyTable.Kind<Strategy> {
        @Override
        public Strategy enters(Object key, KeyTable.Regime by) {
            return table.create(key, by);
        }

        @Override
        public void leaves(Object key, Strategy strategy) {
            moves.getAndAdd(stripe(key), BEGIN);
            table.remember(key, strategy, null);
        }

        @Override
        public void left(Object key) {
            moves.getAndAdd(stripe(key), END);
        }

        @Override
        public void update(Object key) {
            moves.getAndAdd(stripe(key), BEGIN);
            try {
                table.compute(key, this::updated);
            } finally {
                moves.getAndAdd(stripe(key), END);
            }
        }

        private Strategy updated(Strategy strategy) {
            KeyTable.Regime now = table.regime();
            KeyTable.Regime before = now.before();
            return before == null ? strategy : now.rule().succeed(strategy, before.rule());
        }
    }

    private static int stripe(Object key) {
        int hash = key.hashCode();
        return (hash ^ (hash >>> 16)) & (STRIPES - 1);
    }

    /** Goes on by another specification, if it is of rates by the same keys. */
    boolean change(Keyed spec) {
        Rule next = table.next(spec);
        if (next.pattern().traits().holds() || !table.isBy(spec.dimension())) {
            return false;
        }
        table.change(spec, next);
        return true;
    }

    @Override
    public void settle() {
        table.settle();
    }

    @Override
    public long acquire(Request request) {
        Object key = table.keyOf(request);
        if (key == null) {
            return NEVER;
        }
        int stripe = stripe(key);
        for (; ; ) {
            long before = moves.get(stripe);
            Strategy strategy = table.entry(key);
            long answer = strategy.acquire(request);
            boolean quiet = (before & MOVING) == 0 && moves.get(stripe) == before;
            if (quiet || isOf(key, strategy)) {
                reduce(key, strategy);
                table.saw(key, request, answer);
                return answer;
            }
        }
    }

    private boolean isOf(Object key, Strategy strategy) {
        Strategy now = table.settled(key);
        return now != null && Succession.withoutDebt(now) == Succession.withoutDebt(strategy);
    }

    private void reduce(Object key, Strategy strategy) {
        Strategy reduced = Succession.reduced(strategy);
        if (reduced != strategy) {
            table.replace(key, strategy, reduced);
        }
    }

    /**
     * What was granted before the last change is not given back, for the key may have another strategy since. What was
     * granted before its key was evicted is in the sketch for good, so it is refunded only until the next time.
     */
    @Override
    public void refund(Request request, long grantedAt) {
        Object key = table.keyOf(request);
        if (key != null && table.began(grantedAt)) {
            table.change(key, strategy -> strategy.refund(request, grantedAt));
        }
    }

    /** A refusal of one key says nothing of another. */
    @Override
    public Traits traits() {
        return Traits.RATE.explaining(true);
    }

    @Override
    public Rejection.Reason reason(Request request, long answer) {
        return table.pattern().reason(request, answer);
    }

    @Override
    public long limit() {
        return table.pattern().limit();
    }

    @Override
    public long target() {
        return table.pattern().target();
    }

    @Override
    public @Nullable RampProgress ramp() {
        return table.pattern().ramp();
    }

    @Override
    public void setLimit(long limit) {
        table.setLimit(limit);
        settle();
    }

    @Override
    public Map<String, Long> details() {
        return table.details();
    }
}
