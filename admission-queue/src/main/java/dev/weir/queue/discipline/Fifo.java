package dev.weir.queue.discipline;

/**
 * First come, first served. A request for more permits than are free holds up those behind it, so none starves. Choose it
 * where all callers are equally important and the capacity of the queue or the callers' deadlines keep the queue short.
 * Every operation is O(1).
 */
public record Fifo() implements DisciplineSpec {
    @Override
    public Discipline create() {
        return new AdaptiveLifo.ByArrival(AdaptiveLifo.ByArrival.ALWAYS_FIRST);
    }

    @Override
    public boolean sheds() {
        return false;
    }
}
