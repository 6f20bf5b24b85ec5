package dev.weir.queue.discipline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.Request;
import dev.weir.queue.contract.DisciplineBench;
import dev.weir.queue.contract.DisciplineContract;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PriorityTest extends DisciplineContract {
    private static final Duration AGEING = Duration.ofSeconds(1);

    @Override
    protected DisciplineSpec spec() {
        return new Priority(AGEING);
    }

    private static Request important(int priority) {
        return new Request(1, priority, null, Request.NO_DEADLINE);
    }

    /** Levels at the end, 2 s from the first: 2 - 2, 0, 1 - 1, 1 - 0. */
    @Test
    void aWaiterGainsALevelForEachAgeing() {
        DisciplineBench bench = DisciplineBench.of(spec());
        Waiter two = bench.offer(important(2));
        bench.time.advance(AGEING);
        Waiter one = bench.offer(important(1));
        bench.time.advance(AGEING.minusNanos(1));
        Waiter zero = bench.offer(important(0));
        bench.time.advance(1);
        Waiter late = bench.offer(important(0));
        Waiter last = bench.offer(important(1));
        assertSame(zero, bench.grantNext());
        assertSame(two, bench.grantNext());
        assertSame(one, bench.grantNext());
        assertSame(late, bench.grantNext());
        assertSame(last, bench.grantNext());
    }

    @Test
    void aFullQueueShedsTheLeastImportantForTheMoreImportant() {
        DisciplineBench bench = DisciplineBench.of(spec());
        bench.offer(important(1));
        bench.offer(important(3));
        Waiter newest = bench.offer(important(3));
        assertNull(bench.discipline.shedFor(bench.waiter(important(3))));
        assertSame(newest, bench.discipline.shedFor(bench.waiter(important(2))));
        bench.time.advance(Duration.ofSeconds(2));
        assertNull(bench.discipline.shedFor(bench.waiter(important(1))), "two levels gained");
        assertEquals(3, bench.discipline.ahead(bench.waiter(important(1))));
        assertEquals(0, bench.discipline.ahead(bench.waiter(important(0))));
    }

    @Test
    void extremesAreOrdered() {
        DisciplineBench bench = DisciplineBench.of(new Priority(Duration.ofNanos(Nanos.MAX)));
        Waiter min = bench.offer(important(Integer.MAX_VALUE));
        Waiter max = bench.offer(important(0));
        assertSame(max, bench.grantNext());
        assertSame(min, bench.grantNext());
        assertThrows(IllegalArgumentException.class, () -> new Priority(Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> new Priority(Duration.ofNanos(Nanos.MAX + 1)));
    }
}
