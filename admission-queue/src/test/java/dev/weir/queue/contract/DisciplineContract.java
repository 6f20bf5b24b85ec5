package dev.weir.queue.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.queue.QueueSnapshot;
import dev.weir.queue.QueueSpec;
import dev.weir.queue.discipline.Discipline;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.queue.discipline.FairShare;
import dev.weir.queue.discipline.Lifo;
import dev.weir.queue.discipline.Waiter;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What every discipline promises. Extend it, return your specification, and have the whole contract run against it, by
 * itself and in a queue.
 */
@Tag("contract")
public abstract class DisciplineContract {
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final int MANY = 100_000;

    /** For the test class that extends it. */
    protected DisciplineContract() {}

    /** The specification under test, a new one each time. */
    protected abstract DisciplineSpec spec();

    /** A request as the discipline wants it, for 3 permits at most. */
    protected Request request(SplittableRandom random) {
        String key = Seed.oneOf(random, "a", "b", "c", "d", "");
        long deadline = Seed.oneOf(random, Request.NO_DEADLINE, 50_000_000L, 1_000_000_000L, 3_000_000_000L);
        return new Request(random.nextInt(1, 4), random.nextInt(4), key.isEmpty() ? null : key, deadline);
    }

    private DisciplineBench bench(SplittableRandom random) {
        return new DisciplineBench(spec(), random, () -> request(random));
    }

    @Test
    final void specsAreComparedByValueAndCreateADisciplineEach() {
        assertEquals(spec(), spec());
        DisciplineSpec spec = spec();
        assertNotSame(spec.create(), spec.create());
    }

    @Test
    final void anEmptyDisciplineHasNoNext() {
        DisciplineBench bench = bench(new SplittableRandom(1));
        assertNull(bench.next());
        assertNull(bench.discipline.shedFor(bench.waiter()));
        assertEquals(0, bench.discipline.ahead(bench.waiter()));
        Waiter only = bench.offer(bench.waiter());
        assertSame(only, bench.next());
        bench.remove(only);
        assertNull(bench.next());
        bench.discipline.remove(only);
        assertNull(bench.next());
    }

    @Test
    final void noWaiterIsLostOrReturnedAfterItLeft() {
        Seed.forAll(300, random -> {
            DisciplineBench bench = bench(random);
            for (int step = 0; step < 200; step++) {
                switch (random.nextInt(6)) {
                    case 0, 1, 2 -> bench.offer(bench.waiter());
                    case 3 -> bench.grantNext();
                    case 4 -> bench.removeAny();
                    default -> bench.time.advance(random.nextLong(40_000_000));
                }
                assertSame(bench.next(), bench.next());
            }
            bench.drain();
        });
    }

    @Test
    final void aRoundReturnsNoWaiterTwice() {
        Seed.forAll(100, random -> {
            DisciplineBench bench = bench(random);
            for (int step = 0; step < 100; step++) {
                bench.offer(bench.waiter());
                if (random.nextInt(3) == 0) {
                    bench.tryAll();
                }
            }
            bench.drain();
        });
    }

    @Test
    final void aSubqueueThatIsSuspendedIsLeftOutUntilItIsResumed() {
        Seed.forAll(100, random -> {
            DisciplineBench bench = bench(random);
            Set<Waiter> suspended = new LinkedHashSet<>();
            for (int step = 0; step < 200; step++) {
                Waiter next = bench.discipline.next(bench.time.read(), out -> fail("no time has passed"));
                boolean grants = random.nextBoolean();
                if (next != null && grants) {
                    bench.grant(next);
                } else if (next != null && bench.discipline.suspend(next)) {
                    suspended.add(next);
                }
                if (random.nextInt(3) == 0 && !suspended.isEmpty()) {
                    Waiter resumed = suspended.iterator().next();
                    suspended.remove(resumed);
                    bench.discipline.resume(resumed);
                }
                bench.offer(bench.waiter());
                assertLeftOut(suspended, bench);
            }
            suspended.forEach(bench.discipline::resume);
            bench.drain();
        });
    }

    private static void assertLeftOut(Set<Waiter> suspended, DisciplineBench bench) {
        Discipline discipline = bench.discipline;
        Waiter tried = discipline.next(bench.time.read(), out -> fail("no time has passed"));
        for (; tried != null; tried = discipline.after(tried)) {
            Iterable<Waiter> subqueue = discipline.subqueue(tried);
            assertTrue(suspended.stream().noneMatch(waiter -> discipline.subqueue(waiter) == subqueue));
        }
    }

    @Test
    final void aWaiterThatIsShedForAnotherIsInTheQueue() {
        Seed.forAll(100, random -> {
            DisciplineBench bench = bench(random);
            for (int step = 0; step < 100; step++) {
                bench.arrive(10);
                bench.time.advance(random.nextLong(20_000_000));
            }
            bench.drain();
        });
    }

    @Test
    final void noFewerGoAheadThanAnnounced() {
        Seed.forAll(300, random -> {
            DisciplineBench bench = bench(random);
            for (int i = random.nextInt(60); i > 0; i--) {
                bench.arrive(30);
                if (random.nextInt(4) == 0) {
                    bench.removeAny();
                }
                bench.time.advance(random.nextLong(5_000_000));
            }
            Waiter newcomer = bench.waiter();
            int announced = bench.discipline.ahead(newcomer);
            bench.offer(newcomer);
            int before = 0;
            for (Waiter next = bench.grantNext(); next != null && next != newcomer; next = bench.grantNext()) {
                before++;
                bench.time.advance(random.nextLong(20_000_000));
                if (before < 100 && random.nextBoolean()) {
                    bench.offer(bench.waiter());
                }
            }
            int counted = before;
            assertTrue(bench.shed.contains(newcomer) || counted >= announced, () -> counted + " < " + announced);
        });
    }

    @Test
    final void anyOfManyLeavesFromAnywhere() {
        SplittableRandom random = new SplittableRandom(7);
        DisciplineBench bench = bench(random);
        List<Waiter> leaving = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            String key = "key " + i % (MANY / 3);
            leaving.add(bench.offer(bench.waiter(new Request(1, i % 7, key, Request.NO_DEADLINE))));
        }
        Collections.shuffle(leaving, new Random(7));
        for (Waiter waiter : leaving) {
            bench.remove(waiter);
        }
        assertNull(bench.next());
    }

    @Test
    final void waitersThatMoveBetweenDisciplinesKeepWaiting() {
        SplittableRandom random = new SplittableRandom(3);
        QueueBench bench = new QueueBench(QueueSpec.of(100), 1, random, () -> Request.forKey(random.nextInt(3)));
        Permit held = (Permit) bench.queue.tryAcquire(Request.ONE);
        for (DisciplineSpec next : List.of(spec(), new Lifo(), spec(), new FairShare(), spec())) {
            for (int i = 0; i < 6; i++) {
                bench.acquire(EVER);
            }
            bench.queue.reconfigure(QueueSpec.of(100).by(next));
        }
        assertEquals(30, bench.queue.snapshot().length());
        held.close();
        bench.finish();
        QueueSnapshot end = bench.queue.snapshot();
        assertEquals(30, end.granted() + end.shed());
    }

    @Test
    final void everyWaitEndsOnceAndCapacityIsConservedOverAnyHistory() {
        Seed.forAll(100, random -> {
            List<CheckedOrder> used = new ArrayList<>();
            QueueSpec spec = QueueSpec.of(12).holding(30).by(CheckedOrder.of(spec(), used));
            QueueBench bench = new QueueBench(spec, 3, random, () -> request(random));
            for (int step = 0; step < 200; step++) {
                bench.step();
                used.forEach(CheckedOrder::assertKept);
            }
            bench.finish();
            used.forEach(CheckedOrder::assertKept);
            Oracle.assertCapacity(bench.limit(), bench.limiter);
        });
    }
}
