package dev.weir.algorithms;

import dev.weir.Request;
import dev.weir.spi.Strategy;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** A bucket of permits that refills as time passes: the one rate counter behind several specifications. */
final class Bucket implements Strategy {
    /*
     * The state is one number, `spent`: up to which unit of all that ever arrives everything is used up.
     *
     *     arrived - - - - - - - - now
     *     |        missing       |
     *     |          spent ------+        free = capacity - (spent - arrived)
     *
     * A bucket with spent <= arrived is full; the surplus is forgotten when the next permit is taken, by counting from
     * what is *arriving*, so that a fraction of a unit is lost rather than won. With den = 1 no fraction exists.
     *
     * Reading order. `before` is read, then the clock, then `spent`. A grant needs only that the clock is not ahead of
     * the CAS, which it never is. A refusal is true at the clock's instant if nothing moved since before; else it asks
     * again, for a thread that slept after reading the clock would refuse permits that are there. Likewise only an
     * unmoved `spent` further ahead than the capacity proves that the clock ran back: then what it credits is cut to
     * nothing, so that the bucket refills from the present instant and the jump itself earns nothing.
     *
     * Change of terms. A line is (terms, spent); new terms make a new line. The changer writes them to `next`, once;
     * then anyone seals `spent` by complementing it, which fails every later CAS on it; the sealed value and `next`
     * determine the new line, so whoever meets a sealed line computes the same and swings `line` to it. Nobody waits.
     */
    private static final VarHandle LINE;
    private static final VarHandle SPENT;
    private static final VarHandle NEXT;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            LINE = lookup.findVarHandle(Bucket.class, "line", Line.class);
            SPENT = lookup.findVarHandle(Line.class, "spent", long.class);
            NEXT = lookup.findVarHandle(Line.class, "next", Terms.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final class Line {
        final Terms terms;
        volatile long spent;
        volatile @Nullable Terms next;

        Line(Terms terms, long spent) {
            this.terms = terms;
            this.spent = spent;
        }
    }

    private volatile Line line;

    /** A bucket with so many units missing from full. */
    Bucket(Terms terms, long missing) {
        line = new Line(terms, missing);
    }

    /** A bucket with so many permits missing from full now, by terms that may have begun earlier. */
    static Bucket begun(Terms terms, long missing) {
        Bucket bucket = new Bucket(terms, 0);
        if (missing > 0) {
            long elapsed = terms.ticker().read() - terms.origin();
            bucket.line.spent = terms.pace().arriving(elapsed) + missing * terms.pace().unit;
        }
        return bucket;
    }

    /** The bucket that a running strategy counts with, or null. */
    static @Nullable Bucket behind(Strategy running) {
        if (running instanceof LeasedBucket.Striped striped) {
            return striped.bucket();
        }
        return running instanceof Bucket bucket ? bucket : null;
    }

    @Override
    public long acquire(Request request) {
        return acquire(request.permits());
    }

    long acquire(long permits) {
        for (; ; ) {
            Line at = line;
            Terms terms = at.terms;
            if (permits > terms.capacity()) {
                return NEVER;
            }
            long before = at.spent;
            long elapsed = terms.ticker().read() - terms.origin();
            if (elapsed < 0 || elapsed > terms.pace().maxElapsed) {
                rebase(at, elapsed);
                continue;
            }
            long answer = acquire(at, terms, permits, before, elapsed);
            if (answer >= 0) {
                return answer;
            }
        }
    }

    /** Returns -1 to ask again. */
    private long acquire(Line at, Terms terms, long permits, long before, long elapsed) {
        Pace pace = terms.pace();
        long arrived = pace.arrived(elapsed);
        for (; ; ) {
            long spent = at.spent;
            if (spent < 0) {
                moveOn(at);
                return -1;
            }
            long start = spent;
            if (spent <= arrived) {
                start = pace.arriving(elapsed);
            } else {
                long lacking = spent - arrived - terms.allowance(permits);
                if (lacking > 0) {
                    return spent == before ? refusal(at, terms, spent, lacking, elapsed) : -1;
                }
            }
            if (SPENT.compareAndSet(at, spent, start + permits * pace.unit)) {
                return GRANTED;
            }
            Thread.onSpinWait();
        }
    }

    private static long refusal(Line at, Terms terms, long spent, long lacking, long elapsed) {
        long most = terms.pace().arriving(elapsed) + terms.capacityUnits();
        if (spent > most) {
            SPENT.compareAndSet(at, spent, most);
            return -1;
        }
        return terms.pace().nanosUntil(lacking, elapsed);
    }

    /**
     * Counts only while what is given back could not have been refilled since: a bucket that was full again meanwhile
     * has nothing missing that the work had taken.
     */
    @Override
    public void refund(Request request, long grantedAt) {
        Line at = line;
        Terms terms = at.terms;
        Pace pace = terms.pace();
        long then = grantedAt - terms.origin();
        long elapsed = terms.ticker().read() - terms.origin();
        long units = request.permits() * pace.unit;
        if (then < 0 || elapsed < then || elapsed > pace.maxElapsed) {
            return;
        }
        long spent = at.spent;
        while (spent >= units && pace.arrived(elapsed) - pace.arrived(then) < units) {
            if (SPENT.compareAndSet(at, spent, spent - units)) {
                return;
            }
            spent = at.spent;
        }
    }

    /** Puts back permits that were taken and not used; what does not fit is forgotten. */
    void putBack(long permits) {
        Line at = line;
        long units = permits * at.terms.pace().unit;
        long spent = at.spent;
        while (spent >= units && !SPENT.compareAndSet(at, spent, spent - units)) {
            spent = at.spent;
        }
    }

    long capacity() {
        return line.terms.capacity();
    }

    /** Continues under other terms. */
    void change(Terms terms) {
        while (!NEXT.compareAndSet(line, (Terms) null, terms)) {
            moveOn(line);
        }
        moveOn(line);
    }

    /* Time has run past what one line can count, or back before its start. */
    private void rebase(Line at, long elapsed) {
        Terms terms = at.terms;
        boolean onTheBeat = elapsed > 0 || terms.isBatched();
        Terms moved = terms.from(terms.origin() + (onTheBeat ? terms.pace().lastWhole(elapsed) : elapsed));
        NEXT.compareAndSet(at, (Terms) null, moved);
        moveOn(at);
    }

    private void moveOn(Line at) {
        Terms next = at.next;
        if (next == null) {
            return;
        }
        long spent = at.spent;
        while (spent >= 0 && !SPENT.compareAndSet(at, spent, ~spent)) {
            spent = at.spent;
        }
        spent = spent < 0 ? ~spent : spent;
        LINE.compareAndSet(this, at, new Line(next, next.carried(missing(at.terms, next, spent), at.terms)));
    }

    /* The units missing from full when the next terms begin; all of them if the clock ran back before these began. */
    private static long missing(Terms terms, Terms next, long spent) {
        long elapsed = next.origin() - terms.origin();
        if (elapsed < 0) {
            return terms.capacityUnits();
        }
        boolean allRefilled = elapsed / 2 > terms.pace().maxElapsed;
        return allRefilled ? 0 : Math.max(0, spent - terms.pace().arrived(elapsed));
    }

    @Override
    public long limit() {
        return line.terms.permits();
    }

    @Override
    public void setLimit(long limit) {
        Check.within("limit", limit, 1, Check.MOST);
        change(line.terms.withLimit(limit));
    }

    @Override
    public boolean holds() {
        return false;
    }

    @Override
    public long debtNanos() {
        Line at = line;
        Terms terms = at.terms;
        long elapsed = terms.ticker().read() - terms.origin();
        long spent = at.spent < 0 ? ~at.spent : at.spent;
        if (elapsed < 0) {
            return terms.pace().nanosUntil(terms.capacityUnits(), 0);
        }
        if (elapsed > terms.pace().maxElapsed) {
            return 0;
        }
        long missing = spent - terms.pace().arrived(elapsed);
        return missing <= 0 ? 0 : terms.pace().nanosUntil(missing, elapsed);
    }

    @Override
    public void owe(long nanos) {
        Line at = line;
        Terms terms = at.terms;
        Pace pace = terms.pace();
        long elapsed = Math.max(0, Math.min(terms.ticker().read() - terms.origin(), pace.maxElapsed));
        boolean endless = nanos > pace.maxElapsed - elapsed;
        long units = endless
                ? Check.MOST
                : Math.max(pace.arriving(nanos), pace.arrived(elapsed + nanos) - pace.arrived(elapsed));
        at.spent = Math.max(at.spent, pace.arrived(elapsed) + Math.min(units, terms.capacityUnits()));
    }
}
