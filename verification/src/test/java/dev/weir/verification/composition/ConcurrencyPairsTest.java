package dev.weir.verification.composition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.TokenBucket;
import dev.weir.algorithms.WarmUp;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.testkit.Composition;
import dev.weir.testkit.Composition.Figures;
import dev.weir.testkit.Composition.Motion;
import dev.weir.testkit.CompositionContract;
import dev.weir.testkit.Stress;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every concurrency limit takes over from every other, with permits in flight, also through a rate. */
@Tag("proof")
@Tag("property")
class ConcurrencyPairsTest {
    private static final Composition RATE = Leaves.rate(
            TokenBucket.of(50, Duration.ofNanos(2_520)).withCapacity(20), 50, now -> new Figures(now, 2_520, 20, 0, 0));

    private static final List<Composition> LIMITS = List.of(
            Leaves.semaphore(2),
            Leaves.semaphore(30),
            Leaves.counter(4),
            Leaves.partitioned(6, Map.of("k0", 50, "k1", 30), 50),
            Leaves.partitioned(10, Map.of("k0", 100), 0),
            Leaves.shedding(5, List.of(30, 60)),
            Leaves.shedding(8, List.of(50)),
            Trees.warmUp(Leaves.semaphore(6), Motion.RISES, spec -> WarmUp.of(spec, Duration.ofNanos(10_000))),
            Trees.allOf(List.of(Leaves.semaphore(5), Leaves.semaphore(9))),
            Trees.allOf(List.of(Leaves.semaphore(4), RATE)),
            Trees.keyed(Leaves.semaphore(2)),
            Trees.keyed(Leaves.partitioned(3, Map.of("k0", 40), 100)));

    private static void forEachPair(BiConsumer<Composition, Composition> action) {
        int pairs = 0;
        for (Composition one : LIMITS) {
            for (Composition other : LIMITS) {
                if (one != other) {
                    action.accept(one, other);
                    pairs++;
                }
            }
        }
        assertEquals(132, pairs);
    }

    @Test
    void S1_S2_S11_randomHistoriesOfEveryPairAndOfTriples() {
        Stress.seconds(4, 60, 600).forAll(51, random -> forEachPair((one, other) -> check(one, other, random)));
    }

    private static void check(Composition one, Composition other, SplittableRandom random) {
        Composition any = LIMITS.get(random.nextInt(LIMITS.size()));
        for (List<Composition> some :
                List.of(List.of(one, other), List.of(one, RATE, other), List.of(one, other, any))) {
            new CompositionContract((same, count) -> some).check(random);
        }
    }

    @Test
    void S1_S2_alternatedAtOneInstantNoneAdmitsMoreThanItsLimit() {
        forEachPair((one, other) -> {
            if (isPlain(one) && isPlain(other)) {
                alternate(one, other);
            }
        });
    }

    /* All of it is one limit of all requests, in force at once. */
    private static boolean isPlain(Composition composition) {
        return composition.motion() == Motion.NONE
                && composition.parts().stream()
                        .allMatch(part -> part.by() == null && part.law() instanceof Composition.Concurrency);
    }

    private static void alternate(Composition one, Composition other) {
        ManagedLimiter limiter =
                Limiters.builder("l", one.spec()).ticker(new VirtualTime()).build();
        long capacity = oneByOne(limiter);
        List<Permit> all = new ArrayList<>();
        for (int change = 0; change < 50; change++) {
            limiter.reconfigure(change % 2 == 0 ? other.spec() : one.spec());
            List<Permit> taken = take(limiter, 100);
            all.addAll(taken);
            assertTrue(taken.isEmpty() || all.size() <= limiter.snapshot().limit(), () -> one + ", " + other);
        }
        assertEquals(all.size(), limiter.inFlight());
        all.forEach(Permit::close);
        assertEquals(capacity, oneByOne(limiter), () -> one + ", " + other);
    }

    private static long oneByOne(ManagedLimiter limiter) {
        List<Permit> taken = take(limiter, 100);
        taken.forEach(Permit::close);
        return taken.size();
    }

    private static List<Permit> take(ManagedLimiter limiter, int max) {
        List<Permit> taken = new ArrayList<>();
        while (taken.size() < max && limiter.tryAcquire(Request.ONE) instanceof Permit permit) {
            taken.add(permit);
        }
        return taken;
    }
}
