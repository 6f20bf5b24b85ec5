package dev.weir.algorithms;

import dev.weir.Request;
import dev.weir.algorithms.Terms.Style;
import dev.weir.spi.Flow;
import dev.weir.spi.Strategy;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.UnaryOperator;
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
     * unmoved `spent` further ahead than the line was ever in debt proves that the clock ran back: then what it credits
     * is cut to nothing, so that the bucket refills from the present instant and the jump itself earns nothing.
     *
     * A reading is never older than the line it is set against, or it would look as if the clock had run back; only
     * after a rebase is the reading used that caused it, since at the fastest rates a line counts no longer than it
     * takes to read a clock. Such a reading may grant, but not refuse.
     *
     * Change of terms. A line is (terms, spent); new terms make a new line. The changer writes them to `next`, once;
     * then anyone seals `spent` by complementing it, which fails every later CAS on it; the sealed value and `next`
     * determine the new line, so whoever meets a sealed line computes the same and swings `line` to it. Nobody waits.
     */
    private static final long AGAIN = Long.MIN_VALUE;
    private static final long UNKNOWN = Long.MIN_VALUE;
    private static final VarHandle LINE;
    private static final VarHandle SPENT;
    private static final VarHandle NEXT;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            LINE = lookup.findVarHandle(Bucket.class, "line", Line.class);
            SPENT = lookup.findVarHandle(Line.class, "spent", long.class);
            NEXT = lookup.findVarHandle(Line.class, "next", Change.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static class Line {
        final Terms terms;
        volatile long spent;
        volatile @Nullable Change next;

        Line(Terms terms, long spent) {
            this.terms = terms;
            this.spent = spent;
        }

        /* The most that may ever be missing on it. */
        long deepest() {
            return Bucket.deepest(terms);
        }

        static Line of(Terms terms, long spent, long deepest) {
            return deepest == Bucket.deepest(terms) ? new Line(terms, spent) : new DeepLine(terms, spent, deepest);
        }
    }

    /* One that began with more missing than it can hold. Rare; so that the others, of which there may be millions, are
    the smaller. */
    private static final class DeepLine extends Line {
        private final long deepest;

        DeepLine(Terms terms, long spent, long deepest) {
            super(terms, spent);
            this.deepest = deepest;
        }

        @Override
        long deepest() {
            return deepest;
        }
    }

    /* The most that may be missing by these terms: a batch more than it holds, where the clock ran back over a beat, for
    that beat comes again and must bring nothing. */
    static long deepest(Terms terms) {
        return terms.full() + (terms.style().isBatched() ? terms.pace().scale : 0);
    }

    /* Other terms, and the reading at which what is missing is carried over to them. */
    private record Change(Terms terms, long asOf) {}

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

    /** Whether a running bucket of this style goes on by the terms that follow, with all that it has granted. */
    static boolean adjusted(Strategy running, Style style, UnaryOperator<Terms> following) {
        if (!(running instanceof Bucket bucket) || bucket.line.terms.style() != style) {
            return false;
        }
        Terms next = following.apply(bucket.line.terms);
        if (next == bucket.line.terms) {
            return true;
        }
        if (bucket.used() > next.capacity()) {
            return false;
        }
        bucket.change(following);
        return true;
    }

    @Override
    public long acquire(Request request) {
        return acquire(request.permits());
    }

    long acquire(long permits) {
        for (; ; ) {
            Line at = line;
            long before = at.spent;
            long now = at.terms.ticker().read();
            long elapsed = now - at.terms.origin();
            if (!at.terms.covers(elapsed)) {
                at = rebase(at, elapsed);
                before = UNKNOWN;
                elapsed = now - at.terms.origin();
            }
            if (permits > at.terms.capacity()) {
                return NEVER;
            }
            long answer = at.terms.covers(elapsed) ? acquire(at, at.terms, permits, before, elapsed) : AGAIN;
            if (answer != AGAIN) {
                return answer;
            }
        }
    }

    private long acquire(Line at, Terms terms, long permits, long before, long elapsed) {
        Pace pace = terms.pace();
        long arrived = pace.arrived(elapsed);
        for (; ; ) {
            long spent = at.spent;
            if (spent < 0) {
                moveOn(at);
                return AGAIN;
            }
            long start = spent;
            if (spent <= arrived) {
                start = pace.arriving(elapsed);
            } else {
                long lacking = spent - arrived - terms.allowance(permits);
                if (lacking > 0) {
                    return spent == before ? refusal(at, spent, lacking, elapsed) : AGAIN;
                }
            }
            if (SPENT.compareAndSet(at, spent, start + permits * pace.unit)) {
                return GRANTED;
            }
            Thread.onSpinWait();
        }
    }

    private static long refusal(Line at, long spent, long lacking, long elapsed) {
        Pace pace = at.terms.pace();
        long most = pace.arriving(elapsed) + at.deepest();
        if (spent > most) {
            SPENT.compareAndSet(at, spent, most);
            return AGAIN;
        }
        return pace.nanosUntil(lacking, elapsed);
    }

    /**
     * Gives back what has not refilled since: a bucket that could have been full again meanwhile would have had no room
     * for the rest. What was granted before the last change of an even rate is not given back.
     */
    @Override
    public void refund(Request request, long grantedAt) {
        for (; ; ) {
            Line at = line;
            Pace pace = at.terms.pace();
            long then = grantedAt - at.terms.origin();
            long elapsed = at.terms.ticker().read() - at.terms.origin();
            if (then < 0 || elapsed < then || elapsed > pace.maxElapsed) {
                return;
            }
            long units = Math.min(request.permits(), Check.MOST / pace.unit) * pace.unit;
            if (giveBack(at, units - (pace.arriving(elapsed) - pace.arrived(then)))) {
                return;
            }
        }
    }

    /** Puts back permits that were taken and not used; what does not fit is forgotten. */
    void putBack(long permits) {
        for (; ; ) {
            Line at = line;
            if (giveBack(at, permits * at.terms.pace().unit)) {
                return;
            }
        }
    }

    private boolean giveBack(Line at, long units) {
        if (units <= 0) {
            return true;
        }
        long spent = at.spent;
        if (spent < 0) {
            moveOn(at);
            return false;
        }
        return SPENT.compareAndSet(at, spent, Math.max(0, spent - units));
    }

    long capacity() {
        return line.terms.capacity();
    }

    /**
     * Continues under the terms that follow from those in force; they are asked for after those were read, so that they
     * never begin before them, and again if another change came between.
     */
    private void change(UnaryOperator<Terms> following) {
        for (; ; ) {
            Line at = line;
            long now = at.terms.ticker().read();
            Terms next = following.apply(at.terms);
            long asOf = next.origin() - now > 0 ? next.origin() : now;
            boolean first = NEXT.compareAndSet(at, (Change) null, new Change(next, asOf));
            moveOn(at);
            if (first) {
                return;
            }
        }
    }

    /* Time has run past what one line can count, or back before its start. */
    private Line rebase(Line at, long elapsed) {
        Terms moved = at.terms.countedFrom(elapsed);
        NEXT.compareAndSet(at, (Change) null, new Change(moved, moved.origin()));
        moveOn(at);
        return line;
    }

    private void moveOn(Line at) {
        Change next = at.next;
        if (next == null) {
            return;
        }
        long spent = at.spent;
        while (spent >= 0 && !SPENT.compareAndSet(at, spent, ~spent)) {
            spent = at.spent;
        }
        LINE.compareAndSet(this, at, following(at, next, spent < 0 ? ~spent : spent));
    }

    private static Line following(Line at, Change next, long spent) {
        long missing = missing(at, next.asOf, spent);
        long arriving = next.terms.pace().arriving(next.asOf - next.terms.origin());
        if (next.terms.pace() == at.terms.pace()) {
            return Line.of(next.terms, missing == 0 ? 0 : arriving + missing, at.deepest());
        }
        long carried = next.terms.carried(Math.min(missing, at.deepest()), at.terms);
        return Line.of(next.terms, carried == 0 ? 0 : arriving + carried, Math.max(deepest(next.terms), carried));
    }

    /* The units missing from full at a reading; if the clock ran back before the line began, nothing has arrived, and
    what its first beat brought will come again. */
    private static long missing(Line at, long reading, long spent) {
        long elapsed = reading - at.terms.origin();
        Pace pace = at.terms.pace();
        if (elapsed < 0) {
            return Math.min(at.deepest(), at.terms.style().isBatched() ? spent + pace.scale : spent);
        }
        boolean allRefilled = elapsed / 2 > pace.maxElapsed;
        return allRefilled ? 0 : Math.max(0, spent - pace.arrived(elapsed));
    }

    @Override
    public long used() {
        Line at = line;
        long spent = at.spent;
        long missing = missing(at, at.terms.ticker().read(), spent < 0 ? ~spent : spent);
        long unit = at.terms.pace().unit;
        return (Math.min(at.deepest(), missing) + unit - 1) / unit;
    }

    @Override
    public Flow flow() {
        Terms terms = line.terms;
        return new Flow(terms.permits(), terms.period(), terms.capacity());
    }

    @Override
    public long limit() {
        return line.terms.permits();
    }

    @Override
    public void setLimit(long limit) {
        Check.within("limit", limit, 1, Check.MOST);
        change(terms -> terms.withLimit(limit));
    }

    @Override
    public boolean holds() {
        return false;
    }

    /** Up to which unit by these terms, which cover the present, everything is used up; 0 if it is full. */
    long spent(Terms by) {
        Line at = line;
        long reading = at.terms.ticker().read();
        long spent = at.spent;
        long missing = Math.min(at.deepest(), missing(at, reading, spent < 0 ? ~spent : spent));
        long elapsed = Math.max(0, reading - by.origin());
        if (missing == 0) {
            return 0;
        }
        return at.terms == by
                ? by.pace().arrived(elapsed) + missing
                : by.pace().arriving(elapsed) + by.carried(missing, at.terms);
    }

    /** Lets at least so many units by these terms be missing. Nobody else knows this bucket yet. */
    void use(Terms by, long units) {
        Line at = line;
        long elapsed = Math.max(0, at.terms.ticker().read() - at.terms.origin());
        if (units > 0) {
            long spent = at.terms == by
                    ? at.terms.pace().arrived(elapsed) + units
                    : at.terms.pace().arriving(elapsed) + at.terms.carried(units, by);
            at.spent = Math.max(at.spent, spent);
        }
    }
}
