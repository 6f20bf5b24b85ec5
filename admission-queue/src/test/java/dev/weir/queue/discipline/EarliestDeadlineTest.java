package dev.weir.queue.discipline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.weir.Request;
import dev.weir.queue.contract.DisciplineBench;
import dev.weir.queue.contract.DisciplineContract;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class EarliestDeadlineTest extends DisciplineContract {
    @Override
    protected DisciplineSpec spec() {
        return new EarliestDeadline();
    }

    private static Request within(long millis) {
        return new Request(1, 0, null, Duration.ofMillis(millis).toNanos());
    }

    @Test
    void theFirstToTimeOutIsNextAndWaitersWithoutATimeoutAreLast() {
        DisciplineBench bench = DisciplineBench.of(spec());
        Waiter ever = bench.offer(Request.ONE);
        Waiter at300 = bench.offer(within(300));
        Waiter at200 = bench.offer(within(200));
        bench.time.advance(Duration.ofMillis(150));
        Waiter everLater = bench.offer(Request.ONE);
        Waiter at200Later = bench.offer(within(50));
        Waiter at190 = bench.offer(within(40));
        for (Waiter expected : new Waiter[] {at190, at200, at200Later, at300, ever, everLater}) {
            assertSame(expected, bench.grantNext());
        }
    }

    @Test
    void aFullQueueShedsTheLatestForTheEarlier() {
        DisciplineBench bench = DisciplineBench.of(spec());
        bench.offer(within(100));
        Waiter at300 = bench.offer(within(300));
        assertNull(bench.discipline.shedFor(bench.waiter(within(300))));
        assertSame(at300, bench.discipline.shedFor(bench.waiter(within(299))));
        assertEquals(2, bench.discipline.ahead(bench.waiter(within(300))));
        assertEquals(0, bench.discipline.ahead(bench.waiter(within(299))));
        Waiter ever = bench.offer(Request.ONE);
        assertSame(ever, bench.discipline.shedFor(bench.waiter(within(400))));
        assertNull(bench.discipline.shedFor(bench.waiter(Request.ONE)));
    }
}
