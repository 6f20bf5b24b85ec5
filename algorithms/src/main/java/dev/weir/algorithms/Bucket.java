package dev.weir.algorithms;

import dev.weir.Request;
import dev.weir.algorithms.Rate.Style;
import dev.weir.spi.RefillRate;
import dev.weir.spi.Strategy;
import dev.weir.spi.Traits;
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
    }

    /* Where permits arrive in batches, what the last one brought counts as used until a steady rate had brought it too:
     *
     *     previous beat        last beat - - now
     *     |   lost   |  brought  |     missing     |
     *                lost      arrived           spent
     *
     * Who takes the first permit after a batch that filled the bucket, and knows how much of it was lost, writes it
     * down. If nobody has since the last beat, the bucket was not filled, and nothing was lost. A thread that slept may
     * write what was true of an earlier beat, and that is less than now, so more counts as brought.
     */
    private static class Stepped extends Line {
        volatile long lost;

        Stepped(Terms terms, long spent, long lost) {
            super(terms, spent);
            this.lost = lost;
        }
    }

    /* Began after a larger batch than its own. Rare; so that the others, of which there may be millions, are the smaller. */
    private static final class Lowered extends Stepped {
        private final long began;

        Lowered(Terms terms, long spent, long lost, long began) {
            super(terms, spent, lost);
            this.began = began;
        }
    }

    /* Began with nothing to grant, and the rest of what was missing when it became smaller than that. The rest delays nothing, but it is used: it counts again
    when the bucket becomes larger. It refills while nothing else is missing; whoever takes the first permit after that
    writes it down. A thread that slept may write an earlier figure, and that is more. */
    private static final class Outgrown extends Line {
        volatile long beyond;

        Outgrown(Terms terms, long spent, long beyond) {
            super(terms, spent);
            this.beyond = beyond;
        }
    }

    /* Where permits are paced, the last one that a full bucket holds is the slot that is due: a request needs no more
    than a part of it, so one that comes late leaves the next slots where they were. When the bucket is full that slot has
    passed: it is lost, and slots are counted from the present instant, which is written down so that whoever gives back
    all that was taken since gives that one back too, once. If it is not known any more, a slot stays lost. */
    private static final class Paced extends Line {
        volatile long start = UNKNOWN;

        Paced(Terms terms, long spent) {
            super(terms, spent);
        }
    }

    /* Other terms, and the reading at which what is missing is carried over to them. */
    private record Change(Terms terms, long asOf) {}

    private volatile Line line;

    /** A bucket with so many permits missing from full, so many nanoseconds after the terms began. */
    Bucket(Terms terms, long missing, long elapsed) {
        line = line(terms, elapsed, missing * terms.pace.unit, 0);
    }

    private static Line line(Terms terms, long elapsed, long missing, long brought) {
        long start = terms.pace.arriving(elapsed);
        if (terms.rate.style() == Style.TOLERANT && missing > terms.full) {
            return new Outgrown(terms, start + terms.full, missing - terms.full);
        }
        if (brought > terms.pace.scale) {
            return new Lowered(terms, start + missing, start - brought, start);
        }
        return line(terms, start + missing, start - brought);
    }

    private static Line line(Terms terms, long spent, long lost) {
        return switch (terms.rate.style()) {
            case BATCHED, WINDOW -> new Stepped(terms, spent, lost);
            case PACED -> new Paced(terms, spent);
            case EVEN, TOLERANT -> new Line(terms, spent);
        };
    }

    /** Whether it goes on by this rate, with all that it has granted. */
    boolean adjusted(Rate next) {
        Rate rate = line.terms.rate;
        boolean fits = next.style() == Style.WINDOW || used() <= next.most();
        if (!next.continues(rate) || !fits) {
            return false;
        }
        if (!next.equals(rate)) {
            change(from -> next);
        }
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
            long now = at.terms.ticker.read();
            long elapsed = now - at.terms.origin;
            if (!at.terms.covers(elapsed)) {
                at = rebase(at, elapsed);
                before = UNKNOWN;
                elapsed = now - at.terms.origin;
            }
            if (permits > at.terms.capacity) {
                return NEVER;
            }
            long answer = at.terms.covers(elapsed) ? acquire(at, at.terms, permits, before, elapsed) : AGAIN;
            if (answer != AGAIN) {
                return answer;
            }
        }
    }

    private long acquire(Line at, Terms terms, long permits, long before, long elapsed) {
        Pace pace = terms.pace;
        long arrived = pace.arrived(elapsed);
        for (; ; ) {
            long spent = at.spent;
            if (spent < 0) {
                moveOn(at);
                return AGAIN;
            }
            long start = spent;
            if (spent <= arrived) {
                start = pace.arriving(elapsed) + terms.passed;
                if (spent < arrived && at instanceof Stepped stepped) {
                    stepped.lost = arrived - brought(spent, arrived, pace);
                }
            } else {
                long lacking = spent - arrived - terms.allowance(permits);
                if (lacking > 0) {
                    return spent == before ? refusal(at, spent, lacking, elapsed) : AGAIN;
                }
            }
            if (SPENT.compareAndSet(at, spent, start + permits * pace.unit)) {
                if (at instanceof Outgrown outgrown && spent < arrived) {
                    outgrown.beyond = beyond(outgrown, spent, arrived);
                } else if (at instanceof Paced paced && spent <= arrived) {
                    paced.start = start;
                }
                return GRANTED;
            }
            Thread.onSpinWait();
        }
    }

    private static long refusal(Line at, long spent, long lacking, long elapsed) {
        Pace pace = at.terms.pace;
        long most = pace.arriving(elapsed) + at.terms.deepest;
        if (spent > most) {
            if (at instanceof Stepped stepped) {
                stepped.lost = pace.arrived(elapsed);
            } else if (at instanceof Paced paced) {
                paced.start = UNKNOWN;
            }
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
            Pace pace = at.terms.pace;
            long then = grantedAt - at.terms.origin;
            long elapsed = at.terms.ticker.read() - at.terms.origin;
            boolean isOlder = then < 0 || (then == 0 && at instanceof Outgrown);
            if (isOlder || elapsed < then || elapsed > pace.maxElapsed) {
                return;
            }
            long units = Math.min(request.permits(), Check.MOST / pace.unit) * pace.unit;
            if (giveBack(at, units - (pace.arriving(elapsed) - pace.arrived(then)))) {
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
        long back = spent - units;
        if (at instanceof Paced paced && back == paced.start) {
            back -= at.terms.passed;
            paced.start = UNKNOWN;
        }
        return SPENT.compareAndSet(at, spent, Math.max(0, back));
    }

    long capacity() {
        return line.terms.capacity;
    }

    /** Continues by the rate that follows from the one in force; it is asked for again if another change came between. */
    private void change(UnaryOperator<Rate> following) {
        for (; ; ) {
            Line at = line;
            long now = at.terms.ticker.read();
            Terms next = at.terms.after(following.apply(at.terms.rate), now);
            boolean first = NEXT.compareAndSet(at, (Change) null, new Change(next, now));
            moveOn(at);
            if (first) {
                return;
            }
        }
    }

    /* Time has run past what one line can count, or back before its start. */
    private Line rebase(Line at, long elapsed) {
        Terms moved = at.terms.countedFrom(elapsed);
        NEXT.compareAndSet(at, (Change) null, new Change(moved, moved.origin));
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
        LINE.compareAndSet(this, at, following(at, next, unsealed(at)));
    }

    private static Line following(Line at, Change next, long spent) {
        Terms to = next.terms;
        long elapsed = next.asOf - at.terms.origin;
        long missing = used(at, spent, elapsed);
        if (to.pace == at.terms.pace) {
            return line(to, next.asOf - to.origin, missing, early(at, spent, elapsed));
        }
        long carried = at.terms.scaled(Math.min(at.terms.deepest, missing), to.pace);
        long early = early(at, spent, elapsed);
        long since = Math.floorMod(elapsed, to.rate.period());
        long brought = early == 0 ? 0 : early + Math.min(steady(to, since) + 1, to.rate.permits());
        return line(to, next.asOf - to.origin, carried, brought);
    }

    /* The units missing from full; if the clock ran back before the line began, nothing has arrived, and what its first
    beat brought will come again. Further back than the last permit was taken, more than can be missing now. */
    private static long missing(Line at, long spent, long elapsed) {
        Pace pace = at.terms.pace;
        if (elapsed < 0) {
            boolean batched = at.terms.rate.style().isBatched();
            return Math.min(at.terms.deepest, batched ? spent + pace.scale : spent);
        }
        return hasAllRefilled(pace, elapsed) ? 0 : Math.max(0, spent - pace.arrived(elapsed));
    }

    private static long used(Line at, long spent, long elapsed) {
        long missing = missing(at, spent, elapsed);
        if (!(at instanceof Outgrown outgrown) || hasAllRefilled(at.terms.pace, elapsed)) {
            return missing;
        }
        return missing + beyond(outgrown, spent, elapsed < 0 ? 0 : at.terms.pace.arrived(elapsed));
    }

    private static long beyond(Outgrown line, long spent, long arrived) {
        return Math.max(0, line.beyond - Math.max(0, arrived - spent));
    }

    private static boolean hasAllRefilled(Pace pace, long elapsed) {
        return elapsed / 2 > pace.maxElapsed;
    }

    /* What the last batch brought, less what had come by now at a steady rate. */
    private static long early(Line at, long spent, long elapsed) {
        Pace pace = at.terms.pace;
        if (!(at instanceof Stepped stepped) || elapsed < 0 || hasAllRefilled(pace, elapsed)) {
            return 0;
        }
        long arrived = pace.arrived(elapsed);
        long brought = spent < arrived
                ? brought(spent, arrived, pace)
                : Math.max(0, Math.min(largestBatch(stepped, arrived), arrived - stepped.lost));
        return brought == 0 ? 0 : Math.max(0, brought - steady(at.terms, elapsed - pace.lastWhole(elapsed)));
    }

    private static long largestBatch(Stepped line, long arrived) {
        return line instanceof Lowered lowered && lowered.began == arrived ? Long.MAX_VALUE : line.terms.pace.scale;
    }

    /* What the batch that filled the bucket brought. */
    private static long brought(long spent, long arrived, Pace pace) {
        return Math.max(0, spent - (arrived - pace.scale));
    }

    private static long steady(Terms terms, long nanos) {
        return Pace.refilled(terms.rate.permits(), terms.rate.period(), nanos);
    }

    @Override
    public long used() {
        Line at = line;
        long spent = unsealed(at);
        long elapsed = at.terms.ticker.read() - at.terms.origin;
        long unit = at.terms.pace.unit;
        long missing = Math.min(at.terms.deepest, used(at, spent, elapsed));
        return (missing + unit - 1) / unit + early(at, spent, elapsed);
    }

    private static long unsealed(Line at) {
        long spent = at.spent;
        return spent < 0 ? ~spent : spent;
    }

    @Override
    public long remaining() {
        Line at = line;
        Terms terms = at.terms;
        long missing = missing(at, unsealed(at), terms.ticker.read() - terms.origin);
        if (terms.rate.style() == Style.PACED) {
            return missing > terms.passed ? 0 : terms.capacity;
        }
        return Math.max(0, terms.full - missing) / terms.pace.unit;
    }

    @Override
    public RefillRate refillRate() {
        Rate rate = line.terms.rate;
        return rate.style().isSpaced()
                ? new RefillRate(1, rate.distance(), rate.capacity())
                : new RefillRate(rate.permits(), rate.period(), rate.capacity());
    }

    @Override
    public long limit() {
        return line.terms.rate.permits();
    }

    @Override
    public void setLimit(long limit) {
        Check.within("limit", limit, 1, Check.MOST);
        change(rate -> rate.withLimit(limit));
    }

    @Override
    public Traits traits() {
        return Traits.RATE;
    }

    /**
     * Writes up to which unit by these terms, which cover the present, all is used and, if there is room, up to which it
     * was lost.
     *
     * @return false if more is used
     */
    boolean write(Terms by, long[] state) {
        Line at = line;
        long now = by.ticker.read();
        Line in = at.terms == by ? at : following(at, new Change(by, now), unsealed(at));
        long spent = unsealed(in);
        state[0] = spent;
        if (state.length > 1) {
            state[1] = in instanceof Stepped stepped ? stepped.lost : spent;
        }
        return !(in instanceof Outgrown) && missing(in, spent, now - by.origin) <= by.deepest;
    }

    /** The bucket of which that was written. */
    static Bucket restored(Terms by, long spent, long lost) {
        Bucket restored = new Bucket(by, 0, 0);
        restored.line = line(by, spent, lost);
        return restored;
    }

    /** Uses what another one by the same terms has used, and perhaps no less than now. Nobody else knows either yet. */
    void become(Bucket other, boolean isUsed) {
        Line theirs = other.line;
        if (isUsed && theirs.terms == line.terms) {
            theirs.spent = Math.max(theirs.spent, line.spent);
        }
        line = theirs;
    }
}
