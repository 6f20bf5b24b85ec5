package dev.weir.queue.discipline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.Request;
import dev.weir.queue.contract.DisciplineBench;
import dev.weir.queue.contract.DisciplineContract;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class CoDelTest extends DisciplineContract {
    private static final Duration TARGET = Duration.ofMillis(5);
    private static final Duration INTERVAL = Duration.ofMillis(100);

    @Override
    protected DisciplineSpec spec() {
        return new CoDel(TARGET, INTERVAL);
    }

    @Nested
    class OverAdaptiveLifo extends DisciplineContract {
        @Override
        protected DisciplineSpec spec() {
            return new CoDel(TARGET, INTERVAL, new AdaptiveLifo(INTERVAL));
        }
    }

    @Nested
    class OverFairShare extends DisciplineContract {
        @Override
        protected DisciplineSpec spec() {
            return new CoDel(TARGET, INTERVAL, new FairShare());
        }
    }

    @Test
    void aQueueThatWasEmptyWithinTheIntervalIsAllowedTheInterval() {
        DisciplineBench bench = DisciplineBench.of(spec());
        bench.offer(Request.ONE);
        bench.time.advance(Duration.ofMillis(60));
        bench.grantNext();
        Waiter waiter = bench.offer(Request.ONE);
        bench.time.advance(INTERVAL);
        assertSame(waiter, bench.next());
        bench.time.advance(1);
        assertNull(bench.next());
        assertEquals(Set.of(waiter), bench.shed);
    }

    @Test
    void aStandingQueueIsAllowedTheTarget() {
        DisciplineBench bench = DisciplineBench.of(spec());
        Waiter first = bench.offer(Request.ONE);
        bench.time.advance(Duration.ofMillis(90));
        Waiter tooLate = bench.offer(Request.ONE);
        bench.time.advance(Duration.ofMillis(6));
        Waiter inTime = bench.offer(Request.ONE);
        bench.time.advance(Duration.ofMillis(4));
        assertSame(first, bench.grantNext());
        bench.time.advance(Duration.ofMillis(1));
        assertSame(inTime, bench.next());
        assertEquals(Set.of(tooLate), bench.shed);
    }

    @Test
    void shedsTheOldAlsoWhereTheNewestIsNext() {
        DisciplineBench bench = DisciplineBench.of(new CoDel(TARGET, INTERVAL, new Lifo()));
        Waiter oldest = bench.offer(Request.ONE);
        bench.time.advance(Duration.ofMillis(90));
        Waiter old = bench.offer(Request.ONE);
        bench.time.advance(Duration.ofMillis(8));
        Waiter second = bench.offer(Request.ONE);
        Waiter newest = bench.offer(Request.ONE);
        bench.time.advance(Duration.ofMillis(3));
        assertSame(newest, bench.grantNext());
        assertEquals(Set.of(oldest, old), bench.shed);
        assertSame(second, bench.grantNext());
    }

    @Test
    void refusesATargetBeyondTheInterval() {
        IllegalArgumentException thrown =
                assertThrows(IllegalArgumentException.class, () -> new CoDel(INTERVAL, TARGET));
        assertEquals("interval must be >= target PT0.1S, was PT0.005S", thrown.getMessage());
    }
}
