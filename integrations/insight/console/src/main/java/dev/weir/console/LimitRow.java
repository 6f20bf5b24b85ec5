package dev.weir.console;

import dev.weir.console.CountedParts.Totals;
import dev.weir.engine.Snapshot;
import dev.weir.keyed.Keyed;
import dev.weir.named.status.LimitStatus;
import dev.weir.queue.QueueSnapshot;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/** The line of one limit in the list, made again at each sample. Not thread-safe. */
final class LimitRow {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final int WORST_WAIT_MILLIS = 1000;

    /* The last second or a little more, the oldest first. */
    private final Deque<Sample> samples = new ArrayDeque<>();

    /** The line as JSON; empty before the first sample. */
    String json = "";

    long changedAt;

    private record Sample(long nanos, Totals totals) {}

    private record Rates(long admitted, long refused) {}

    record Reading(long nanos, LimitStatus status, Totals totals, boolean holds, String kind) {}

    /** The word for what limits; calls the specification, which may be code of others. */
    static String kind(LimitStatus status, boolean holds, boolean hasExecutor) {
        Snapshot limiter = status.limiter();
        if (hasExecutor) {
            return "executor";
        } else if (limiter == null) {
            return status.stored() == null ? "removed" : "store";
        }
        return limiter.spec().parts().size() > 1 ? "several" : holds ? "concurrency" : "rate";
    }

    /** Makes it of a reading; true = it is another one than before. */
    boolean sampled(Reading reading) {
        Rates rates = rates(new Sample(reading.nanos, reading.totals));
        String made = JsonWriter.object(json -> write(json, reading, rates));
        boolean isOther = !made.equals(json);
        json = made;
        return isOther;
    }

    private Rates rates(Sample now) {
        Sample newest = samples.peekLast();
        // Totals begin again when a limiter is replaced by a store, or the other way round.
        if (newest != null
                && (now.totals.admitted() < newest.totals.admitted()
                        || now.totals.refused() < newest.totals.refused())) {
            samples.clear();
        }
        samples.addLast(now);
        while (samples.size() > 2 && now.nanos - second().nanos >= SECOND) {
            samples.removeFirst();
        }
        Sample oldest = samples.getFirst();
        long nanos = now.nanos - oldest.nanos;
        return new Rates(
                perSecond(now.totals.admitted() - oldest.totals.admitted(), nanos),
                perSecond(now.totals.refused() - oldest.totals.refused(), nanos));
    }

    private Sample second() {
        var each = samples.iterator();
        each.next();
        return each.next();
    }

    private static long perSecond(long count, long nanos) {
        return nanos <= 0 ? 0 : Math.round(count * (double) SECOND / nanos);
    }

    void forget() {
        samples.clear();
    }

    private static void write(JsonWriter json, Reading reading, Rates rates) {
        LimitStatus status = reading.status;
        Snapshot limiter = status.limiter();
        QueueSnapshot queue = status.queue();
        json.text("name", status.name()).text("kind", reading.kind);
        long waitMillis = 0;
        double use = 0;
        if (limiter != null) {
            json.number("limit", limiter.limit());
            if (limiter.spec() instanceof Keyed) {
                json.is("byKey", true);
            }
            if (reading.holds) {
                json.number("inFlight", limiter.inFlight());
                use = limiter.limit() <= 0 ? 0 : Math.min(1, (double) limiter.inFlight() / limiter.limit());
            }
            if (limiter.oldestHeldNanos() > 0) {
                json.number("oldestHeldMs", millis(limiter.oldestHeldNanos()));
            }
            json.decimal("enforced", limiter.enforced());
        }
        json.number("admitted", rates.admitted).number("refused", rates.refused);
        if (queue != null) {
            waitMillis = millis(queue.oldestAgeNanos());
            json.number("waiting", (long) queue.length()).number("oldestWaitMs", waitMillis);
        }
        if (status.suspendedNanos() > 0) {
            json.number("suspendedMs", millisUp(status.suspendedNanos()));
        }
        json.is("override", status.override() != null)
                .is("orphan", status.orphan())
                .number("revision", status.revision())
                .number("trouble", trouble(rates, waitMillis, use));
    }

    /* The share of requests that are refused counts most, then how long the oldest waits, then how much of the limit is used. */
    private static long trouble(Rates rates, long waitMillis, double use) {
        long all = rates.admitted + rates.refused;
        double refused = all == 0 ? 0 : (double) rates.refused / all;
        double waits = Math.min(1, (double) waitMillis / WORST_WAIT_MILLIS);
        return Math.round(10_000 * refused) * 10_000 + Math.round(99 * waits) * 100 + Math.round(99 * use);
    }

    /** At least 1 if it is more than 0. */
    static long millisUp(long nanos) {
        return millis(nanos + 999_999);
    }

    static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }
}
