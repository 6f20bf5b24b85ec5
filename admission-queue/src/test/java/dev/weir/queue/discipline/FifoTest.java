package dev.weir.queue.discipline;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.weir.Request;
import dev.weir.queue.contract.DisciplineBench;
import dev.weir.queue.contract.DisciplineContract;
import org.junit.jupiter.api.Test;

class FifoTest extends DisciplineContract {
    @Override
    protected DisciplineSpec spec() {
        return new Fifo();
    }

    @Test
    void theOldestIsNextAndAFullQueueRefusesNewRequests() {
        DisciplineBench bench = DisciplineBench.of(new Fifo());
        Waiter first = bench.offer(Request.of(3));
        Waiter second = bench.offer(Request.ONE);
        assertNull(bench.discipline.shedFor(bench.waiter()));
        assertNull(bench.discipline.after(first), "the rejection holds for all");
        assertSame(first, bench.grantNext());
        assertSame(second, bench.grantNext());
    }
}
