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

class AdaptiveLifoTest extends DisciplineContract {
    private static final Duration STANDING = Duration.ofMillis(100);

    @Override
    protected DisciplineSpec spec() {
        return new AdaptiveLifo(STANDING);
    }

    @Test
    void turnsOnceTheQueueStandsAndBackWhenItHasEmptied() {
        DisciplineBench bench = DisciplineBench.of(spec());
        Waiter first = bench.offer(Request.ONE);
        bench.time.advance(Duration.ofMillis(40));
        Waiter second = bench.offer(Request.ONE);
        Waiter third = bench.offer(Request.ONE);
        bench.time.advance(Duration.ofMillis(60));
        assertSame(first, bench.grantNext());
        assertNull(bench.discipline.shedFor(bench.waiter()));
        bench.time.advance(1);
        assertSame(second, bench.discipline.shedFor(bench.waiter()));
        assertSame(third, bench.grantNext());
        assertSame(second, bench.grantNext());
        Waiter fourth = bench.offer(Request.ONE);
        bench.offer(Request.ONE);
        assertSame(fourth, bench.next());
    }

    @Test
    void refusesADurationOfNone() {
        String message = ""
                + assertThrows(IllegalArgumentException.class, () -> new AdaptiveLifo(Duration.ZERO))
                        .getMessage();
        assertEquals("standing must be >= PT0.000000001S and <= PT640511H56M49.213693952S, was PT0S", message);
    }
}
