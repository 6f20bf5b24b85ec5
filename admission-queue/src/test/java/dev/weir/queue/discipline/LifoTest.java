package dev.weir.queue.discipline;

import static org.junit.jupiter.api.Assertions.assertSame;

import dev.weir.Request;
import dev.weir.queue.contract.DisciplineBench;
import dev.weir.queue.contract.DisciplineContract;
import org.junit.jupiter.api.Test;

class LifoTest extends DisciplineContract {
    @Override
    protected DisciplineSpec spec() {
        return new Lifo();
    }

    @Test
    void theNewestIsNextAndAFullQueueShedsTheOldest() {
        DisciplineBench bench = DisciplineBench.of(new Lifo());
        Waiter first = bench.offer(Request.ONE);
        Waiter second = bench.offer(Request.ONE);
        assertSame(second, bench.next());
        Waiter third = bench.offer(Request.ONE);
        assertSame(first, bench.discipline.shedFor(bench.waiter()));
        assertSame(third, bench.grantNext());
        assertSame(second, bench.grantNext());
        assertSame(first, bench.grantNext());
    }
}
