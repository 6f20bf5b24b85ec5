package dev.weir.verification.composition;

import dev.weir.Outcome;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Account;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Traits;
import dev.weir.succession.ByCost;
import dev.weir.succession.InFlight;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import dev.weir.succession.SettledRate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Small and slow limits, each right and with the mistake that is usually made. For one thread, and for time that goes
 * forward.
 */
final class Mutants {
    private Mutants() {}

    /** A sliding log; a refund takes back the entry of its own instant, or by mistake the oldest one. */
    record Log(long limit, long period, boolean refundsOldest) implements StrategySpec {
        private record Entry(long at, long permits) {}

        @Override
        public Strategy create(Ticker ticker) {
            List<Entry> entries = new ArrayList<>();
            return new Rate(limit, period) {
                @Override
                public long acquire(Request request) {
                    long now = ticker.read();
                    entries.removeIf(entry -> now - entry.at >= period);
                    if (request.permits() > limit()) {
                        return NEVER;
                    }
                    long excess = used() + request.permits() - limit();
                    if (excess <= 0) {
                        entries.add(new Entry(now, request.permits()));
                        return GRANTED;
                    }
                    for (int i = 0; ; i++) {
                        excess -= entries.get(i).permits;
                        if (excess <= 0) {
                            return entries.get(i).at + period - now;
                        }
                    }
                }

                @Override
                public void refund(Request request, long grantedAt) {
                    long left = ticker.read() - grantedAt < period ? request.permits() : 0;
                    for (int i = 0; left > 0 && i < entries.size(); ) {
                        Entry entry = entries.get(i);
                        if (!refundsOldest && entry.at - grantedAt < 0) {
                            i++;
                            continue;
                        }
                        long back = Math.min(left, entry.permits);
                        left -= back;
                        entries.set(i, new Entry(entry.at, entry.permits - back));
                        if (entry.permits == back) {
                            entries.remove(i);
                        }
                    }
                }

                @Override
                long used() {
                    return entries.stream().mapToLong(Entry::permits).sum();
                }
            };
        }
    }

    /**
     * A fixed window. Another limit is adjusted in place; what is used stays so, or by mistake is scaled down with the
     * limit, and not up.
     */
    record Window(long limit, long period, boolean scalesDown) implements StrategySpec {
        private static final class Used extends Rate {
            private final Ticker ticker;
            private final long begun;
            private final long period;
            private long window;
            private long used;

            Used(Window spec, Ticker ticker) {
                super(spec.limit, spec.period);
                this.ticker = ticker;
                this.begun = ticker.read();
                this.period = spec.period;
            }

            @Override
            public long acquire(Request request) {
                if (request.permits() > limit()) {
                    return NEVER;
                }
                if (used() + request.permits() > limit()) {
                    return begun + (window + 1) * period - ticker.read();
                }
                used += request.permits();
                return GRANTED;
            }

            @Override
            public void refund(Request request, long grantedAt) {
                if (used() > 0 && grantedAt - begun - window * period >= 0) {
                    used -= request.permits();
                }
            }

            @Override
            long used() {
                long now = (ticker.read() - begun) / period;
                used = now <= window ? used : 0;
                window = Math.max(now, window);
                return used;
            }
        }

        @Override
        public Strategy create(Ticker ticker) {
            return new Used(this, ticker);
        }

        @Override
        public boolean adjust(Strategy running) {
            if (!(running instanceof Used same)) {
                return false;
            }
            if (scalesDown && limit < same.limit()) {
                same.used = same.used * limit / same.limit();
            }
            same.setLimit(limit);
            return true;
        }
    }

    /** A semaphore that hands its counter on, or by mistake a new one. */
    record Counted(long limit, boolean startsAnew) implements StrategySpec {
        @Override
        public Strategy create(Ticker ticker) {
            InFlight own = new InFlight(limit);
            return new Delegate(own) {
                @Override
                public InFlight counter() {
                    return startsAnew ? new InFlight(limit) : own;
                }
            };
        }
    }

    /** What a table does when a key has to go. */
    enum Eviction {
        REMEMBERS,
        FORGETS,
        REMEMBERS_ALL_AS_USED
    }

    /** A rate for each key; as many as there is room for are in memory. */
    record Table(StrategySpec perKey, int room, Eviction eviction) implements StrategySpec {
        @Override
        public Strategy create(Ticker ticker) {
            Strategy pattern = perKey.create(ticker);
            LinkedHashMap<Object, Strategy> kept = new LinkedHashMap<>();
            Map<Object, Strategy> gone = new HashMap<>();
            return new Delegate(pattern) {
                @Override
                public long acquire(Request request) {
                    return request.key() == null ? NEVER : of(request.key()).acquire(request);
                }

                @Override
                public Traits traits() {
                    return super.traits().explaining(true);
                }

                @Override
                public Reason reason(Request request, long answer) {
                    return request.key() == null ? Reason.KEY_MISSING : super.reason(request, answer);
                }

                @Override
                public void refund(Request request, long grantedAt) {
                    of(Objects.requireNonNull(request.key())).refund(request, grantedAt);
                }

                private Strategy of(Object key) {
                    Strategy before = kept.remove(key);
                    if (before == null) {
                        before = gone.remove(key);
                    }
                    Strategy now = before == null ? perKey.create(ticker) : before;
                    if (before == null && now.limit() != pattern.limit()) {
                        now.setLimit(pattern.limit());
                    }
                    kept.put(key, now);
                    if (kept.size() > room) {
                        Object oldest = kept.keySet().iterator().next();
                        evict(oldest, Objects.requireNonNull(kept.remove(oldest)));
                    }
                    return now;
                }

                private static boolean hasUse(Strategy strategy) {
                    Account account = strategy.account();
                    return account != null && account.used() > 0;
                }

                private void evict(Object key, Strategy strategy) {
                    boolean drains = eviction == Eviction.REMEMBERS_ALL_AS_USED && hasUse(strategy);
                    while (drains && strategy.acquire(Request.ONE) == GRANTED) {
                        // until nothing is left
                    }
                    if (eviction != Eviction.FORGETS) {
                        gone.put(key, strategy);
                    }
                }

                @Override
                public void setLimit(long limit) {
                    pattern.setLimit(limit);
                    kept.values().forEach(strategy -> strategy.setLimit(limit));
                    gone.values().forEach(strategy -> strategy.setLimit(limit));
                }

                @Override
                public @Nullable Account account() {
                    return null;
                }
            };
        }
    }

    /** Two rates; when the second one refuses, the first one gets back what it granted, or by mistake all but one. */
    record Both(StrategySpec first, StrategySpec second, boolean keepsOne) implements StrategySpec {
        @Override
        public Strategy create(Ticker ticker) {
            Strategy one = first.create(ticker);
            Strategy two = second.create(ticker);
            return new Delegate(one) {
                @Override
                public long acquire(Request request) {
                    long now = ticker.read();
                    long answer = one.acquire(request);
                    long other = answer == NEVER ? NEVER : two.acquire(request);
                    if (answer == GRANTED && other != GRANTED) {
                        undo(one, request, now);
                    } else if (answer != GRANTED && other == GRANTED) {
                        two.refund(request, now);
                    }
                    return other == NEVER ? NEVER : Math.max(answer, other);
                }

                private void undo(Strategy strategy, Request request, long now) {
                    long back = keepsOne ? request.permits() - 1 : request.permits();
                    if (back > 0) {
                        strategy.refund(Request.of(back), now);
                    }
                }

                @Override
                public void refund(Request request, long grantedAt) {
                    one.refund(request, grantedAt);
                    two.refund(request, grantedAt);
                }
            };
        }
    }

    /** A rate of costs; what goes back goes back once, or by mistake twice. */
    record Costs(StrategySpec rate, boolean refundsTwice) implements StrategySpec {
        private static final class Settling extends Delegate implements ByCost {
            private final SettledRate to;
            private final boolean refundsTwice;

            Settling(SettledRate to, boolean refundsTwice) {
                super(to);
                this.to = to;
                this.refundsTwice = refundsTwice;
            }

            @Override
            public boolean isByCost() {
                return true;
            }

            @Override
            public boolean charge(Request request) {
                return to.charge(request);
            }

            @Override
            public void refund(Request request, long grantedAt) {
                to.refund(request, grantedAt);
            }

            @Override
            public void refundCost(Request back, long grantedAt) {
                to.refundCost(back, grantedAt);
                if (refundsTwice) {
                    to.refundCost(back, grantedAt);
                }
            }
        }

        @Override
        public Strategy create(Ticker ticker) {
            return new Settling(new SettledRate(rate, false, ticker), refundsTwice);
        }
    }

    private abstract static class Rate implements Strategy {
        private final long every;
        private long limit;

        Rate(long limit, long every) {
            this.limit = limit;
            this.every = every;
        }

        abstract long used();

        @Override
        public long limit() {
            return limit;
        }

        @Override
        public void setLimit(long limit) {
            this.limit = limit;
        }

        @Override
        public Account account() {
            return new Account(limit, every, limit, used());
        }

        @Override
        public Traits traits() {
            return Traits.RATE;
        }
    }

    private abstract static class Delegate implements PartStrategy {
        private final PartStrategy to;

        Delegate(Strategy to) {
            this.to = Parts.of(to);
        }

        @Override
        public @Nullable InFlight counter() {
            return null;
        }

        @Override
        public long acquire(Request request) {
            return to.acquire(request);
        }

        @Override
        public void release(Request request, Outcome outcome) {
            to.release(request, outcome);
        }

        @Override
        public long limit() {
            return to.limit();
        }

        @Override
        public void setLimit(long limit) {
            to.setLimit(limit);
        }

        @Override
        public long inFlight() {
            return to.inFlight();
        }

        @Override
        public Traits traits() {
            return to.traits().holds() ? Traits.CONCURRENCY : Traits.RATE;
        }

        @Override
        public @Nullable Account account() {
            return to.account();
        }
    }
}
