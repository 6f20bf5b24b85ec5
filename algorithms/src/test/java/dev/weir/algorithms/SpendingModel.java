package dev.weir.algorithms;

import java.util.ArrayList;
import java.util.List;

/**
 * What was really spent of one account, and how much of it has not refilled, by the rates of the specifications alone. In parts of a
 * permit, of which all rates refill whole ones in a nanosecond.
 */
final class SpendingModel {
    /** Parts of a permit; a multiple of each period. */
    static final long PARTS = 27_720;

    /**
     * What a rate promises.
     *
     * @param permits permits in each period
     * @param period nanoseconds
     * @param burst the most at one instant
     * @param forgotten how many permits it forgets at a boundary
     * @param remembered for how many nanoseconds a larger rate counts after the limit was lowered in place
     * @param isEven whether its account is what a steady rate has not refilled, with no boundaries
     */
    record Figures(long permits, long period, long burst, long forgotten, long remembered, boolean isEven) {
        Figures {
            if (PARTS % period != 0) {
                throw new IllegalArgumentException("period must divide " + PARTS + ", was " + period);
            }
        }

        long refills() {
            return permits * (PARTS / period);
        }

        /** Nanoseconds in which this many parts of a permit refill, rounded up. */
        long nanos(long parts) {
            return parts <= 0 ? 0 : (parts - 1) / refills() + 1;
        }
    }

    /** Something spent at one instant; settling may make it less. */
    static final class Spending {
        private final long first;
        private long permits;

        Spending(long permits) {
            this.first = permits;
            this.permits = permits;
        }

        long permits() {
            return permits;
        }
    }

    private record Event(Figures rate, long nanos, Spending spent, boolean isGrant, boolean keepsSize) {}

    private final List<Event> events = new ArrayList<>();
    private Figures rate;
    private long most;
    private boolean isUneven;

    /** All that was granted and charged, refunded or not, less what refilled. */
    private long owed;

    SpendingModel(Figures first) {
        change(first);
    }

    /** Other figures are in force. */
    void change(Figures next) {
        owed += rate == null ? 0 : PARTS;
        rate = next;
        most = Math.max(most, next.burst());
        isUneven |= !next.isEven();
        events.add(new Event(next, 0, null, false, false));
    }

    /** From now on what is owed is not overdrawn: what refills may be granted. */
    void keepsSize() {
        events.add(new Event(null, 0, null, false, true));
    }

    void pass(long nanos) {
        events.add(new Event(null, nanos, null, false, false));
        owed = Math.max(0, owed - nanos * rate.refills());
    }

    Spending spend(long permits, boolean isGrant) {
        Spending spending = new Spending(permits);
        events.add(new Event(null, 0, spending, isGrant, false));
        owed += permits * PARTS;
        return spending;
    }

    /** Less was spent; where time stood still since, nothing more of it is owed. */
    void settle(Spending spending, long actual, boolean atOnce) {
        owed -= atOnce ? (spending.permits - actual) * PARTS : 0;
        spending.permits = actual;
    }

    /** How a grant just now exceeds what the rates allow, or an empty text. */
    String excess() {
        Windows windows = new Windows();
        events.forEach(windows::add);
        return windows.excess();
    }

    /** Whether nothing is owed that was really spent. */
    boolean isPaid() {
        Windows windows = new Windows();
        events.forEach(windows::add);
        return windows.surplus == 0;
    }

    /**
     * In how many nanoseconds this many permits are granted at the latest if nobody else asks: d beyond the burst, and the request, at
     * the rate. Of what an account with boundaries counts, a burst may have refilled already, and its boundary is to come; a
     * change rounds to whole permits.
     */
    long latest(long permits) {
        long beyond = owed + (isUneven ? most * PARTS : PARTS) - rate.burst() * PARTS;
        long boundary = isUneven ? 2 * rate.period() : 0;
        return rate.nanos(Math.max(0, beyond) + permits * PARTS) + boundary;
    }

    /*
     * The surplus is the largest value of spent - refilled, of the windows that end now. It may reach B + a, the largest of the
     * rates that were in force since nothing was owed; or what it was when a key was evicted, or a rate by cost ended, with a
     * debt. What is owed is more than the surplus: a whole permit is owed for each part, what was refunded late is, and so is a
     * window up to its end.
     */
    private static final class Windows {
        private Figures rate;
        private long now;
        private long fast;
        private long fastUntil;
        private long surplus;
        private long owed;
        private long paidFor;
        private long changes;
        private boolean isUneven;
        private long max;
        private long kept;
        private long atThisInstant;
        private long maxAtThisInstant;

        void add(Event event) {
            if (event.rate() != null) {
                change(event.rate());
            } else if (event.spent() != null) {
                surplus += event.spent().permits * PARTS;
                owed += (event.spent().first + 1) * PARTS;
                paidFor = 0;
                atThisInstant += event.isGrant() ? event.spent().permits : 0;
            } else if (event.keepsSize()) {
                kept = Math.max(kept, surplus + PARTS - 1);
            } else if (event.nanos() > 0) {
                pass(event.nanos());
            }
        }

        private void change(Figures next) {
            long last = rate == null ? 0 : Math.max(rate.refills(), now < fastUntil ? fast : 0);
            if (last > next.refills() && next.remembered() > 0) {
                fast = last;
                fastUntil = now + next.remembered();
            }
            rate = next;
            isUneven |= !next.isEven();
            changes += owed > 0 ? 1 : 0;
            owed += owed > 0 ? PARTS : 0;
            max = Math.max(max, next.burst() + next.forgotten());
            maxAtThisInstant = Math.max(maxAtThisInstant, next.burst());
        }

        private void pass(long nanos) {
            long first = Math.min(nanos, Math.max(0, fastUntil - now));
            surplus -= first * Math.max(fast, rate.refills()) + (nanos - first) * rate.refills();
            now += nanos;
            atThisInstant = 0;
            surplus = Math.max(0, surplus);
            long untilPaid = rate.nanos(owed);
            owed = Math.max(0, owed - nanos * rate.refills());
            paidFor += Math.max(0, nanos - untilPaid);
            if (owed == 0 && (!isUneven || paidFor >= 3 * rate.period() + rate.remembered())) {
                kept = 0;
                changes = 0;
                max = rate.burst() + rate.forgotten();
                maxAtThisInstant = rate.burst();
            }
        }

        String excess() {
            if (kept == 0 && atThisInstant > maxAtThisInstant) {
                return atThisInstant + " at one instant, at most " + maxAtThisInstant;
            }
            long rounded = isUneven ? changes : 0;
            return surplus > Math.max((max + rounded) * PARTS, kept)
                    ? (double) surplus / PARTS + " spent and not refilled, at most " + max + " or "
                            + (double) kept / PARTS
                    : "";
        }
    }
}
