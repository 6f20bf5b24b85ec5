package dev.weir.queue.discipline;

/**
 * Last come, first served. Choose it where a caller that has waited is likely to have given up without notice: under
 * overload some requests are granted at once and the others time out, instead of all being granted late. A full queue sheds
 * the oldest waiter for a new one. Old waiters starve as long as new ones arrive, so requests should have a deadline; where
 * overload is rare, {@link AdaptiveLifo} is fairer. Every operation is O(1).
 */
public record Lifo() implements DisciplineSpec {
    @Override
    public Discipline create() {
        return new AdaptiveLifo.ByArrival(AdaptiveLifo.ByArrival.ALWAYS_LAST);
    }
}
