package dev.weir.algorithms;

import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.Traits;
import dev.weir.succession.InFlight;
import java.util.Arrays;
import java.util.List;

/**
 * At most {@code limit} permits in flight, and less important work is refused earlier: a request of priority p is
 * admitted only where its level's reserve stays free. Priority 0 has no reserve; 1, 2, ... those of the list; beyond
 * the list, the last one's. A reserve is rounded down to whole permits of the limit in force, so that a limit of 1 is
 * open to all.
 *
 * <p>A refusal is {@code SHED} if the permits would have fitted without the reserve and {@code CONCURRENCY} if not, as
 * it stands when the refusal is told; {@code NEVER} if the request is larger than what its reserve leaves of the limit.
 *
 * @param limit permits, 1 to 2^31-1
 * @param reservedPercents what the priorities 1, 2, ... leave free, in per cent of the limit: 0 to 99, never falling,
 *     at most 64
 */
public record PriorityShedding(long limit, List<Integer> reservedPercents) implements Resizable {
    private static final int MOST_LEVELS = 64;

    /** Checks the components. */
    public PriorityShedding {
        Check.within("limit", limit, 1, InFlight.MOST);
        reservedPercents = List.copyOf(reservedPercents);
        Check.within("reservedPercents.size()", reservedPercents.size(), 0, MOST_LEVELS);
        int least = 0;
        for (int percent : reservedPercents) {
            least = (int) Check.within("reservedPercents", percent, least, 99);
        }
    }

    /** Reserves for the priorities 1, 2, ... */
    public static PriorityShedding of(long limit, int... reservedPercents) {
        return new PriorityShedding(
                limit, Arrays.stream(reservedPercents).boxed().toList());
    }

    @Override
    public PriorityShedding withLimit(long limit) {
        return new PriorityShedding(limit, reservedPercents);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return new Levels(new InFlight(limit), byPriority());
    }

    @Override
    public boolean adjust(Strategy running) {
        if (running instanceof Levels levels) {
            levels.reserved = byPriority();
            levels.setLimit(limit);
            return true;
        }
        return false;
    }

    private int[] byPriority() {
        int[] reserved = new int[reservedPercents.size() + 1];
        for (int priority = 1; priority < reserved.length; priority++) {
            reserved[priority] = reservedPercents.get(priority - 1);
        }
        return reserved;
    }

    private static final class Levels implements Counting {
        private final InFlight counter;
        volatile int[] reserved;

        Levels(InFlight counter, int[] reserved) {
            this.counter = counter;
            this.reserved = reserved;
        }

        @Override
        public InFlight counter() {
            return counter;
        }

        @Override
        public long acquire(Request request) {
            int[] levels = reserved;
            int percent = levels[Math.min(request.priority(), levels.length - 1)];
            return counter.acquireLeaving(percent, request.permits());
        }

        @Override
        public void release(Request request, Outcome outcome) {
            counter.release(request.permits());
        }

        @Override
        public Traits traits() {
            return Traits.CONCURRENCY.explaining(true);
        }

        @Override
        public Rejection.Reason reason(Request request, long answer) {
            if (answer < 0) {
                return Rejection.Reason.NEVER;
            }
            boolean fits = request.permits() <= counter.limit() - counter.inFlight();
            return fits ? Rejection.Reason.SHED : Rejection.Reason.CONCURRENCY;
        }
    }
}
