package dev.weir.algorithms;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.SpendingModel.Figures;
import dev.weir.algorithms.SpendingModel.Spending;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongFunction;

/** A limiter by cost in a small world of whole numbers, beside a model of what was spent. */
final class SettledHistory {
    /** A step. Each has a meaning in every state, so that all orders of them are histories. */
    enum Step {
        ACQUIRE,
        ACQUIRE_MORE,
        SETTLE_DOWN,
        SETTLE_UP,
        CHARGE,
        RELEASE,
        CANCEL,
        TICK,
        PASS,
        LIMIT,
        CHANGE,
        EVICT
    }

    /**
     * What may be in force, by cost or by permits.
     *
     * @param part the first part of the specification, of which the limit is
     * @param isOnce whether a request for more than the burst is granted when nothing is used
     * @param isRising whether it is slower at first than its figures say
     */
    record Mode(
            StrategySpec spec,
            StrategySpec part,
            LongFunction<Figures> figures,
            long limit,
            boolean isByCost,
            boolean isOnce,
            boolean isRising) {
        static Mode of(StrategySpec settled, LongFunction<Figures> figures, long limit) {
            return new Mode(settled, settled, figures, limit, true, false, false);
        }

        /** The same part in others. */
        Mode around(Function<StrategySpec, StrategySpec> other) {
            return new Mode(other.apply(spec), part, figures, limit, isByCost, isOnce, isRising);
        }

        /** Another part with the same figures. */
        Mode as(StrategySpec other, boolean byCost, boolean rising) {
            return new Mode(other, other, figures, limit, byCost, isOnce, rising);
        }

        Mode once() {
            StrategySpec once = ((Settled) spec).once();
            return new Mode(once, once, figures, limit, isByCost, true, isRising);
        }

        @Override
        public String toString() {
            return spec.toString();
        }
    }

    private static final class Held {
        final Permit permit;
        final Spending spending;
        final long cost;
        final long at;
        final int changesBefore;
        final boolean isByCost;
        boolean isSettled;

        Held(Permit permit, Spending spending, long cost, long at, int changesBefore, boolean isByCost) {
            this.permit = permit;
            this.spending = spending;
            this.cost = cost;
            this.at = at;
            this.changesBefore = changesBefore;
            this.isByCost = isByCost;
        }
    }

    private static final String KEY = "k";
    private static final int MAX_WAITS = 60;

    private final List<Mode> modes;
    private final VirtualTime time;
    private final ManagedLimiter limiter;
    private final SpendingModel model;
    private final List<Held> held = new ArrayList<>();
    private final List<Long> changes = new ArrayList<>();
    private final List<Step> steps = new ArrayList<>();
    private int inForce;
    private long limit;
    private long settledAgain;
    private long evicted;

    SettledHistory(List<Mode> modes, long origin) {
        this.modes = modes;
        this.time = new VirtualTime(origin);
        this.limit = mode().limit();
        this.limiter = Limiters.builder("settled", mode().spec()).ticker(time).build();
        this.model = new SpendingModel(figures());
        limiter.counts();
    }

    private Mode mode() {
        return modes.get(inForce);
    }

    private Figures figures() {
        return mode().figures().apply(limit);
    }

    private static Request costs(long cost) {
        return Request.forKey(KEY).settled(cost).refundable();
    }

    /** Takes these steps, then waits until this cost is granted. */
    void take(List<Step> all, long cost) {
        all.forEach(this::take);
        end(cost);
    }

    private void take(Step step) {
        steps.add(step);
        switch (step) {
            case ACQUIRE -> acquire(1);
            case ACQUIRE_MORE ->
                acquire(
                        mode().isOnce()
                                ? figures().burst() + 1
                                : Math.min(3, figures().burst()));
            case SETTLE_DOWN -> settle(false);
            case SETTLE_UP -> settle(true);
            case CHARGE -> charge(2);
            case RELEASE -> release(0, Outcome.SUCCESS);
            case CANCEL -> release(held.size() - 1, Outcome.CANCELLED);
            case TICK -> pass(1);
            case PASS -> pass(figures().period());
            case LIMIT -> setLimit(limit == mode().limit() ? limit + 1 : mode().limit());
            case CHANGE -> change();
            case EVICT -> evict();
        }
    }

    private Decision acquire(long cost) {
        boolean wasPaid = model.isPaid();
        Decision decision = limiter.tryAcquire(costs(cost));
        if (decision instanceof Permit permit) {
            long spent = mode().isByCost() ? cost : 1;
            Spending spending = model.spend(spent, spent <= figures().burst());
            held.add(new Held(permit, spending, cost, time.read(), changes.size(), mode().isByCost()));
            if (spent > figures().burst()) {
                check(mode().isOnce() && wasPaid, "granted more than the burst, with something used");
            } else {
                String excess = model.excess();
                check(excess.isEmpty(), excess);
            }
        }
        return decision;
    }

    /* The oldest one that is not settled, down to the half; or the newest one, up by two. A second time does nothing. */
    private void settle(boolean up) {
        int which = -1;
        for (int i = 0; i < held.size() && (which < 0 || up); i++) {
            which = held.get(i).isSettled ? which : i;
        }
        if (which < 0) {
            return;
        }
        Held one = held.get(which);
        if (!up && isAmbiguous(one)) {
            return;
        }
        boolean byCost = one.permit.settle(up ? one.cost + 2 : one.cost / 2);
        check(byCost == one.isByCost, "settled " + byCost);
        one.isSettled = byCost;
        if (byCost && up && mode().isByCost()) {
            model.spend(2, false);
        } else if (byCost && !up) {
            model.settle(one.spending, one.cost / 2, one.at == time.read() && one.changesBefore == changes.size());
        }
        check(!one.permit.settle(one.cost + 100), "settled twice");
        settledAgain += byCost ? 1 : 0;
        check(limiter.counts().settledAgain() == settledAgain, "counted " + limiter.counts());
    }

    /* The next change is at the instant of the grant: nobody can tell which of them was first. */
    private boolean isAmbiguous(Held one) {
        return one.changesBefore < changes.size() && changes.get(one.changesBefore) == one.at;
    }

    private void charge(long cost) {
        boolean charged = limiter.charge(costs(cost));
        check(charged == mode().isByCost(), "charged " + charged);
        if (charged) {
            model.spend(cost, false);
        }
    }

    private void release(int which, Outcome wanted) {
        if (held.isEmpty()) {
            return;
        }
        Held one = held.remove(which);
        Outcome outcome = isAmbiguous(one) ? Outcome.SUCCESS : wanted;
        check(one.permit.release(outcome), "released twice");
        if (outcome == Outcome.CANCELLED && !one.isSettled) {
            model.settle(one.spending, 0, one.at == time.read() && one.changesBefore == changes.size());
        }
        boolean unsettled = one.permit.settle(one.cost + 50);
        check(!unsettled, "settled after the release");
        settledAgain = limiter.counts().settledAgain();
    }

    private void pass(long nanos) {
        time.advance(nanos);
        model.pass(nanos);
    }

    private void setLimit(long next) {
        limit = next;
        changes.add(time.read());
        limiter.dial().setLimit(next);
        model.change(figures());
    }

    private void change() {
        boolean wasByCost = mode().isByCost();
        StrategySpec before = mode().part();
        inForce = (inForce + 1) % modes.size();
        limit = mode().part().equals(before) ? limit : mode().limit(); // an equal part goes on with what was set
        changes.add(time.read());
        if (wasByCost && !mode().isByCost()) {
            model.keepsSize();
        }
        limiter.reconfigure(mode().spec());
        model.change(figures());
    }

    /* Two other keys, for which there is no room. */
    private void evict() {
        model.keepsSize();
        changes.add(time.read());
        for (int i = 0; i < 2; i++) {
            if (limiter.tryAcquire(Request.forKey("other" + evicted++)) instanceof Permit permit) {
                permit.close();
            }
        }
    }

    /* Asks until it is granted, after each wait that is given; that is no later than the model says. */
    private void end(long cost) {
        while (!held.isEmpty()) {
            release(0, Outcome.SUCCESS);
        }
        long latest = model.latest(mode().isByCost() ? cost : 1);
        long waited = 0;
        for (int waits = 0; acquire(cost) instanceof Rejection rejection; waits++) {
            long wait = rejection.retryAfterNanos();
            check(wait > 0, "refused for ever: " + rejection);
            pass(wait);
            waited += wait;
            check(waits < MAX_WAITS, "not granted after " + waits + " waits that were given");
        }
        long late = waited - latest;
        check(
                late <= 0 || modes.stream().anyMatch(Mode::isRising),
                "granted " + cost + " after " + waited + " ns, latest " + latest);
    }

    private void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise + "\n  by " + modes + "\n  after " + steps);
        }
    }
}
