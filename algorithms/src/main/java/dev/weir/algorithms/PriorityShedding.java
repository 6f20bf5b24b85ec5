package dev.weir.algorithms;

import dev.weir.Outcome;
import dev.weir.Permit.Quota;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.Traits;
import dev.weir.succession.InFlight;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A concurrency limit with priorities: at most {@code limit} permits in flight, and less important requests are refused
 * earlier. A request of priority p is granted only if the reserve of p stays free. Priority 0 has no reserve; priorities 1,
 * 2, ... have those of the list; higher numbers have the last reserve of the list. A reserve is rounded down to whole
 * permits of the limit in force, so a limit of 1 is open to all.
 *
 * <pre>{@code
 * // priority 1 leaves 10 % free, priority 2 and higher leave 50 %
 * Limiter checkout = Limiters.of("checkout", PriorityShedding.of(100, 10, 50));
 * }</pre>
 *
 * <p>A rejection is {@code SHED} if the permits would have fitted without the reserve and {@code CONCURRENCY} if not, decided
 * when the rejection is reported; {@code NEVER} if the request is larger than what its reserve leaves of the limit.
 *
 * @param limit permits, 1 to 2^31-1
 * @param reservedPercents the reserves of priorities 1, 2, ... in per cent of the limit: 0 to 99, never decreasing, at most
 *     64 of them
 */
public record PriorityShedding(long limit, List<Integer> reservedPercents) implements Resizable {
    private static final int MAX_LEVELS = 64;

    /**
     * Copies and checks the components.
     *
     * @throws IllegalArgumentException if a number is out of its range or a reserve is smaller than the one before it
     * @throws NullPointerException if the list or an element is null
     */
    public PriorityShedding {
        Check.within("limit", limit, 1, InFlight.MAX);
        reservedPercents = List.copyOf(reservedPercents);
        Check.within("reservedPercents.size()", reservedPercents.size(), 0, MAX_LEVELS);
        int min = 0;
        for (int percent : reservedPercents) {
            min = (int) Check.within("reservedPercents", percent, min, 99);
        }
    }

    /**
     * A limit with these reserves for priorities 1, 2, ...
     *
     * @throws IllegalArgumentException if a number is out of its range or a reserve is smaller than the one before it
     */
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
        return new PriorityLevels(new InFlight(limit), byPriority());
    }

    @Override
    public boolean adjust(Strategy running) {
        if (running instanceof PriorityLevels levels) {
            levels.reserved = byPriority();
            levels.setLimit(limit);
            return true;
        }
        return false;
    }

    private int[] byPriority() {
        return Stream.concat(Stream.of(0), reservedPercents.stream())
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /** The strategy of {@link PriorityShedding}. */
    private static final class PriorityLevels implements Counting {
        private final InFlight counter;
        volatile int[] reserved;

        PriorityLevels(InFlight counter, int[] reserved) {
            this.counter = counter;
            this.reserved = reserved;
        }

        @Override
        public InFlight counter() {
            return counter;
        }

        @Override
        public long acquire(Request request) {
            return counter.acquireLeaving(reservedPercent(request), request.permits());
        }

        private int reservedPercent(Request request) {
            int[] levels = reserved;
            return levels[Math.min(request.priority(), levels.length - 1)];
        }

        @Override
        public Quota quota(Request request) {
            return counter.quota(counter.limit() * reservedPercent(request) / 100);
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
        public Set<Rejection.Reason> reasons() {
            return Set.of(Rejection.Reason.CONCURRENCY, Rejection.Reason.SHED, Rejection.Reason.NEVER);
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
