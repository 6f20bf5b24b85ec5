package dev.weir.keyed;

import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.spi.RampProgress;
import dev.weir.spi.Strategy;
import dev.weir.spi.Traits;
import dev.weir.succession.HandsOver;
import dev.weir.succession.InFlight;
import dev.weir.succession.Succession;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A concurrency limit for each key; a permit returns to the strategy that granted it, whatever became of its key. */
final class KeyedHolders implements HandsOver {
    /*
     * A key has one cell, in the table or, where it was evicted with permits in flight, parked beside it; a parked cell
     * goes back into the table when its key is asked for, and ends when its last permit is released. Moves between
     * the two run under the key's lock in the table, the end of a parked cell under its lock among the parked ones.
     *
     * A cell is over when it ends, with nothing in flight, or when another takes its place: one with another strategy,
     * to which what is in flight was handed over. Who asks and who ends it each write first and then read what the other
     * wrote:
     *
     *     request                    who ends it                      release
     *     acquire (a CAS)            state := OVER                    release (a CAS)
     *     reads state                reads what is in flight:         reads state: not LIVE ->
     *                                  0 -> it stays OVER               may a parked cell end?
     *                                  else -> PARKED
     *
     * So who finds its cell not over is counted. One who finds it over gives back what it got and asks the cell that the
     * key has then. What it held for that moment may have been why another one was refused; but it asks again itself, so
     * that other one would have been refused a moment later too, or is told when this one releases.
     */
    private enum State {
        LIVE,
        PARKED,
        OVER
    }

    private final ConcurrentMap<Object, Cell> parked = new ConcurrentHashMap<>();
    private final KeyTable<Cell> table;

    KeyedHolders(Keyed spec, Rule rule) {
        table = new KeyTable<>(spec, rule, new Holders());
    }

    private final class Holders implements KeyTable.Kind<Cell> {
        @Override
        public Cell enters(Object key, KeyTable.Regime by) {
            Cell cell = parked.remove(key);
            if (cell == null) {
                Succession past = table.past(key, by);
                Strategy made = past == null ? table.create(key, by) : past.strategy();
                Cell entered = new Cell(made, by.rule(), State.LIVE);
                entered.past = past;
                return entered;
            }
            Cell current = cell.by(by.rule());
            current.state = State.LIVE;
            return current;
        }

        @Override
        public void leaves(Object key, Cell cell) {
            if (!cell.ends(key)) {
                parked.put(key, cell);
                endIfIdle(key);
            }
        }

        @Override
        public void left(Object key) {}

        @Override
        public void update(Object key) {
            table.compute(key, cell -> cell.by(table.regime().rule()));
        }
    }

    private void endIfIdle(Object key) {
        parked.computeIfPresent(key, (k, cell) -> cell.own.inFlight() == 0 && cell.ends(k) ? null : cell);
    }

    /** Goes on by another specification, if it is of concurrency limits by the same keys. */
    boolean change(Keyed spec) {
        Rule next = table.next(spec);
        if (!next.pattern().traits().holds() || !table.isBy(spec.dimension())) {
            return false;
        }
        table.change(spec, next);
        return true;
    }

    /* Parked cells after those in the table: one that was parked since is met here, one that went back is up to date. */
    @Override
    public void settle() {
        table.settle();
        parked.keySet()
                .forEach(key -> parked.computeIfPresent(
                        key, (k, cell) -> cell.by(table.regime().rule())));
    }

    /** The permits of each key that has some in flight are counted by all of these as well, and by its next strategy. */
    @Override
    public void handOver(List<InFlight> heirs) {
        Set<Cell> made = Collections.newSetFromMap(new IdentityHashMap<>());
        Predicate<Cell> isOld = cell -> cell.own.inFlight() > 0 && !made.contains(cell);
        UnaryOperator<Cell> change = cell -> {
            Cell next = isOld.test(cell) ? cell.handingOver(heirs) : cell;
            made.add(next);
            return next;
        };
        List<Object> keys = new ArrayList<>();
        table.forEach((key, cell) -> {
            if (isOld.test(cell)) {
                keys.add(key);
            }
        });
        keys.forEach(key -> table.compute(key, change));
        parked.keySet().forEach(key -> parked.computeIfPresent(key, (k, cell) -> change.apply(cell)));
    }

    @Override
    public Traits traits() {
        return Traits.CONCURRENCY
                .routing(true)
                .refunding(table.pattern().traits().refunds());
    }

    @Override
    public Strategy route(Request request) {
        Object key = table.keyOf(request);
        return key == null ? new Keyless(this) : new Way(key);
    }

    @Override
    public long acquire(Request request) {
        return route(request).acquire(request);
    }

    /** Where it is not known which strategy granted the permit: to the key's present one. */
    @Override
    public void release(Request request, Outcome outcome) {
        Object key = table.keyOf(request);
        if (key != null) {
            Cell cell = table.entry(key);
            cell.own.release(request, outcome);
            cell.released(key);
        }
    }

    @Override
    public void refund(Request request, long grantedAt) {
        Object key = table.keyOf(request);
        if (key != null) {
            table.entry(key).own.refund(request, grantedAt);
        }
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

    /** The sum over all keys, found by counting: 0 if and only if nothing is in flight. */
    @Override
    public long inFlight() {
        long[] sum = {0};
        table.forEach((key, cell) -> sum[0] += cell.own.inFlight());
        parked.values().forEach(cell -> sum[0] += cell.own.inFlight());
        return sum[0];
    }

    @Override
    public Map<String, Long> details() {
        Map<String, Long> details = new TreeMap<>(table.details());
        details.put("parkedKeys", (long) parked.size());
        return details;
    }

    /** The strategy of a key. What changes it runs under the key's lock, in the table or among the parked ones. */
    private final class Cell {
        final Strategy own;
        private volatile Rule rule;
        volatile State state;

        /** How it came to this strategy, if something was set aside on the way. */
        private @Nullable Succession past;

        Cell(Strategy own, Rule rule, State state) {
            this.own = own;
            this.rule = rule;
            this.state = state;
        }

        /** This cell, or the one that takes its place, by another rule. */
        Cell by(Rule current) {
            return rule == current ? this : succeeded(current, () -> current.succeed(present()));
        }

        Cell handingOver(List<InFlight> heirs) {
            return succeeded(rule, () -> present().handingOver(heirs, rule.ticker()));
        }

        private Succession present() {
            return past == null ? Succession.of(rule, own) : past;
        }

        private Cell succeeded(Rule current, Supplier<Succession> successor) {
            State before = state;
            state = State.OVER;
            Cell next = this;
            try {
                Succession made = successor.get();
                next = made.strategy() == own ? this : new Cell(made.strategy(), current, before);
                next.rule = current;
                next.past = made.isAnyAside() ? made : null;
            } finally {
                state = next == this ? before : State.OVER;
            }
            return next;
        }

        boolean ends(Object key) {
            state = State.OVER;
            if (own.inFlight() > 0) {
                state = State.PARKED;
                return false;
            }
            if (past == null) {
                table.remember(key, own, rule);
            } else {
                table.rememberUsed(key, past.used());
            }
            return true;
        }

        void released(Object key) {
            if (state != State.LIVE) {
                endIfIdle(key);
            }
        }
    }

    /** One request's way to its key's strategy, to which its permit returns. Used by one thread at a time. */
    private final class Way implements Strategy {
        private final Object key;
        private @Nullable Cell cell;
        private @Nullable Strategy asked;

        Way(Object key) {
            this.key = key;
        }

        @Override
        public long acquire(Request request) {
            for (; ; ) {
                Cell now = table.entry(key);
                Strategy way = now.own.traits().routes() ? now.own.route(request) : now.own;
                long answer = way.acquire(request);
                if (now.state != State.OVER) {
                    cell = now;
                    asked = way;
                    table.saw(key, request, answer);
                    return answer;
                }
                if (answer == GRANTED) {
                    way.release(request, Outcome.CANCELLED);
                    now.released(key);
                }
            }
        }

        private Strategy asked() {
            return asked == null ? table.entry(key).own : asked;
        }

        @Override
        public void release(Request request, Outcome outcome) {
            asked().release(request, outcome);
            if (cell != null) {
                cell.released(key);
            }
        }

        @Override
        public void refund(Request request, long grantedAt) {
            asked().refund(request, grantedAt);
        }

        @Override
        public Traits traits() {
            Traits own = asked().traits();
            return Traits.CONCURRENCY.refunding(own.refunds()).explaining(own.explains());
        }

        @Override
        public Rejection.Reason reason(Request request, long answer) {
            return asked().reason(request, answer);
        }

        @Override
        public long limit() {
            return asked().limit();
        }

        @Override
        public void setLimit(long limit) {
            asked().setLimit(limit);
        }

        @Override
        public long inFlight() {
            return asked().inFlight();
        }
    }

    /** Refuses requests that have no key. */
    private record Keyless(KeyedHolders table) implements Strategy {
        @Override
        public long acquire(Request request) {
            return NEVER;
        }

        @Override
        public long limit() {
            return table.limit();
        }

        @Override
        public void setLimit(long limit) {}
    }
}
