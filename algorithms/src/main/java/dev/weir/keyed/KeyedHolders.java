package dev.weir.keyed;

import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.spi.RampProgress;
import dev.weir.spi.Strategy;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** A concurrency limit for each key, to whose cell its permits return. */
final class KeyedHolders implements Strategy {
    /*
     * A key has one cell, in the table or, where it was pushed out with permits out, parked beside it; a parked cell goes
     * back into the table when its key is asked for, and is forgotten when its last permit comes home. Moves between
     * the two run under the key's lock in the table, the end of a parked cell under its lock among the parked ones.
     *
     * A cell ends only with nothing out. Who asks and who ends it each write first and then read what the other wrote:
     *
     *     asker                      who ends it                      who comes home
     *     acquire (a CAS)            state := DYING                   release (a CAS)
     *     reads state                reads inFlight: 0 -> DEAD        reads state: not null ->
     *                                  else -> PARKED, and once more    may it be forgotten?
     *
     * So an asker who finds its cell alive is seen. One who finds it dying gives back what it got, which nobody else was
     * refused for, and asks the key's cell of now. A dead cell hands every request on to one and the same heir, so a
     * permit that was granted through it returns to where it was granted.
     *
     * A cell whose strategy was succeeded by another object is replaced: it is asked no more but by who had found it
     * before, and its permits return to it, as those of a swapped strategy do. The two may share a counter; so a return
     * to the old one may be what the new one, parked, waits for, and a grant by the old one stands only if the newest
     * one is alive afterwards. If it is not, the key may have another counter already, and the asker, whose permit could
     * not return there, is told to ask again at once.
     */
    private enum State {
        PARKED,
        DYING,
        DEAD
    }

    private record Replaced(Cell by) {}

    private static final long AT_ONCE = 1;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Cell.class, "state", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ConcurrentMap<Object, Cell> parked = new ConcurrentHashMap<>();
    private final Residents<Cell> residents;
    private final Strategy keyless = new Keyless();

    KeyedHolders(Keyed spec, Rule rule, Strategy pattern) {
        residents = new Residents<>(spec, rule, pattern, new Holders());
    }

    private final class Holders implements Residents.Kind<Cell> {
        @Override
        public Cell enters(Object key, Residents.Regime by) {
            Cell cell = parked.remove(key);
            if (cell == null) {
                return new Cell(residents.create(key, by), by.rule());
            }
            Cell current = cell.by(by.rule());
            current.state = null;
            return current;
        }

        @Override
        public void leaves(Object key, Cell cell) {
            if (!cell.ends(key)) {
                parked.put(key, cell);
                forgetIfIdle(key);
            }
        }

        @Override
        public void left(Object key) {}

        @Override
        public void change(Object key, Cell cell, Rule from, Rule to) {
            residents.compute(key, present -> present.by(to));
        }
    }

    private void forgetIfIdle(Object key) {
        parked.computeIfPresent(key, (k, cell) -> cell.own.inFlight() == 0 && cell.ends(k) ? null : cell);
    }

    boolean isBy(int dimension) {
        return residents.isBy(dimension);
    }

    boolean change(Keyed spec) {
        Rule next = residents.rule().next(spec);
        if (!next.create().holds()) {
            return false;
        }
        residents.change(spec, next);
        changeParked(next);
        return true;
    }

    /* After those in the table: one that was parked since is met here, one that went back was changed on its way. */
    private void changeParked(Rule rule) {
        for (Object key : parked.keySet()) {
            parked.computeIfPresent(key, (k, cell) -> {
                Cell current = cell.by(rule);
                current.state = State.PARKED;
                return current;
            });
        }
    }

    @Override
    public boolean routes() {
        return true;
    }

    @Override
    public Strategy route(Request request) {
        Object key = residents.keyOf(request);
        return key == null ? keyless : residents.entry(key);
    }

    @Override
    public long acquire(Request request) {
        return route(request).acquire(request);
    }

    /** Where the granting cell was not remembered: to the key's cell of now. */
    @Override
    public void release(Request request, Outcome outcome) {
        route(request).release(request, outcome);
    }

    @Override
    public void refund(Request request, long grantedAt) {
        route(request).refund(request, grantedAt);
    }

    @Override
    public boolean refunds() {
        return residents.pattern().refunds();
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
        changeParked(residents.setLimit(limit));
    }

    @Override
    public long inFlight() {
        long sum = 0;
        for (Cell cell : residents.entries()) {
            sum += cell.own.inFlight();
        }
        for (Cell cell : parked.values()) {
            sum += cell.own.inFlight();
        }
        return sum;
    }

    @Override
    public Map<String, Long> details() {
        Map<String, Long> details = new TreeMap<>(residents.details());
        details.put("parkedKeys", (long) parked.size());
        return details;
    }

    private final class Cell implements Strategy {
        final Strategy own;
        private Rule rule;
        volatile @Nullable Object state;

        Cell(Strategy own, Rule rule) {
            this.own = own;
            this.rule = rule;
        }

        /** This cell, or the one that replaces it, by another rule. Under the key's lock, here or among the parked. */
        Cell by(Rule current) {
            if (rule == current) {
                return this;
            }
            Strategy next = current.succeed(own, rule);
            if (next != own) {
                Cell by = new Cell(next, current);
                state = new Replaced(by);
                return by;
            }
            rule = current;
            return this;
        }

        /** Under the key's lock, here or among the parked. */
        boolean ends(Object key) {
            state = State.DYING;
            if (own.inFlight() > 0) {
                state = State.PARKED;
                return false;
            }
            residents.remember(key, own, rule);
            state = State.DEAD;
            return true;
        }

        @Override
        public long acquire(Request request) {
            for (; ; ) {
                long answer = own.acquire(request);
                if (newest().isAlive()) {
                    residents.saw(request, answer);
                    return answer;
                }
                if (answer == GRANTED) {
                    giveBack(request, Outcome.CANCELLED);
                }
                if (state instanceof Replaced) {
                    return AT_ONCE;
                }
                Cell heir = heir(request);
                if (heir != this) {
                    return heir.acquire(request);
                }
            }
        }

        private Cell newest() {
            Cell newest = this;
            while (newest.state instanceof Replaced replaced) {
                newest = replaced.by;
            }
            return newest;
        }

        private boolean isAlive() {
            Object now = state;
            return now == null || now == State.PARKED;
        }

        /* The key's cell of now, which is this one if it was parked instead; once dead, for ever the same. */
        private Cell heir(Request request) {
            if (state instanceof Cell heir) {
                return heir;
            }
            Object key = residents.keyOf(request);
            Cell now = key == null ? this : residents.entry(key);
            if (now != this) {
                STATE.compareAndSet(this, State.DEAD, now);
            }
            return state instanceof Cell heir ? heir : this;
        }

        @Override
        public void release(Request request, Outcome outcome) {
            if (state instanceof Cell heir) {
                heir.release(request, outcome);
                return;
            }
            giveBack(request, outcome);
        }

        private void giveBack(Request request, Outcome outcome) {
            own.release(request, outcome);
            if (state != null) {
                Object key = residents.keyOf(request);
                if (key != null) {
                    forgetIfIdle(key);
                }
            }
        }

        @Override
        public void refund(Request request, long grantedAt) {
            if (state instanceof Cell heir) {
                heir.refund(request, grantedAt);
            } else {
                own.refund(request, grantedAt);
            }
        }

        @Override
        public boolean refunds() {
            return own.refunds();
        }

        @Override
        public Rejection.Reason reason(Request request, long answer) {
            return own.reason(request, answer);
        }

        @Override
        public long limit() {
            return own.limit();
        }

        @Override
        public void setLimit(long limit) {
            own.setLimit(limit);
        }

        @Override
        public long inFlight() {
            return own.inFlight();
        }
    }

    /** Answers requests that name no key. */
    private final class Keyless implements Strategy {
        @Override
        public long acquire(Request request) {
            return NEVER;
        }

        @Override
        public long limit() {
            return residents.pattern().limit();
        }

        @Override
        public void setLimit(long limit) {}
    }
}
