package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Permit.Quota;
import dev.weir.Request;
import dev.weir.engine.ManagedLimiter;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/** The checks of {@link StrategyContract} of the figures that a limiter gives for a request; for strategies that know them. */
final class QuotaProperties {
    private static final int RUNS = 200;
    private static final int MAX_LIMIT = 20;
    private static final int AT_MOST = 2_000;

    private final TestedStrategy tested;
    private final Supplier<Request> one;

    QuotaProperties(TestedStrategy tested) {
        this.tested = tested;
        this.one = () -> tested.request(1);
        assumeTrue(tested.limiter(1, new VirtualTime()).quota(one.get()) != null, "it does not know what is left");
    }

    private ManagedLimiter limiter(SplittableRandom random, VirtualTime time) {
        return tested.limiter(random.nextLong(1, MAX_LIMIT), time);
    }

    private Quota quota(ManagedLimiter limiter) {
        Quota quota = limiter.quota(one.get());
        assertTrue(quota != null, "it knew before what is left");
        return quota;
    }

    void whatIsLeftIsWhatRequestsGet() {
        Seed.forAll(RUNS, random -> {
            VirtualTime time = new VirtualTime(random.nextLong());
            ManagedLimiter limiter = limiter(random, time);
            List<Permit> held = new ArrayList<>();
            for (int steps = random.nextInt(40); steps > 0; steps--) {
                step(random, time, limiter, held);
            }
            Quota told = quota(limiter);
            long got = Oracle.takeAll(AT_MOST, limiter, one).size();
            assertEquals(told.remaining(), got, told::toString);
            if (limiter.spec().parts().size() == 1) {
                assertEquals(limiter.dial().limit(), told.limit());
            }
        });
    }

    private void step(SplittableRandom random, VirtualTime time, ManagedLimiter limiter, List<Permit> held) {
        switch (random.nextInt(8)) {
            case 0 -> time.advance(random.nextLong(tested.period()));
            case 1 -> time.advance(random.nextLong(tested.period() / MAX_LIMIT));
            case 2 -> limiter.reconfigure(tested.spec(random.nextLong(1, MAX_LIMIT)));
            case 3 -> limiter.dial().setLimit(random.nextLong(1, MAX_LIMIT));
            case 4, 5 -> held.stream().skip(random.nextInt(MAX_LIMIT)).forEach(Permit::close);
            default -> held.addAll(Oracle.takeAll(random.nextInt(MAX_LIMIT), limiter, one));
        }
    }

    /** Of two equal limiters, one is asked what is left, between any two requests. */
    void askingSpendsNothing() {
        Seed.forAll(RUNS, random -> {
            long limit = random.nextLong(1, MAX_LIMIT);
            VirtualTime time = new VirtualTime(random.nextLong());
            ManagedLimiter asked = tested.limiter(limit, time);
            ManagedLimiter other = tested.limiter(limit, time);
            List<Permit> held = new ArrayList<>();
            for (int steps = 0; steps < 40; steps++) {
                for (int times = random.nextInt(3); times > 0; times--) {
                    Quota first = quota(asked);
                    assertEquals(first, quota(asked));
                }
                Decision decision = asked.tryAcquire(one.get());
                Decision same = other.tryAcquire(one.get());
                assertEquals(decision instanceof Permit, same instanceof Permit);
                if (decision instanceof Permit permit && same instanceof Permit equal) {
                    held.addAll(List.of(permit, equal));
                } else {
                    assertEquals(same, decision);
                }
                if (random.nextInt(4) == 0) {
                    held.forEach(Permit::close);
                    held.clear();
                }
                time.advance(random.nextLong(tested.period() / 4));
            }
        });
    }

    /** One member of a combination after the other is the one that leaves the fewest permits. */
    void whenItIsResetNothingIsUsed() {
        Seed.forAll(RUNS, random -> {
            VirtualTime time = new VirtualTime(random.nextLong());
            ManagedLimiter limiter = limiter(random, time);
            Quota unused = quota(limiter);
            assertEquals(0, unused.resetNanos(), "nothing is used yet");
            List<Permit> held = Oracle.takeAll(random.nextInt(1, MAX_LIMIT), limiter, one);
            assertTrue(limiter.holds() || quota(limiter).resetNanos() > 0, "a permit of a rate is used");
            held.forEach(Permit::close);
            for (int part = limiter.spec().parts().size(); part > 0; part--) {
                time.advance(quota(limiter).resetNanos());
            }
            Quota reset = quota(limiter);
            assertTrue(reset.resetNanos() == 0 && reset.remaining() >= unused.remaining(), () -> "reset is " + reset);
        });
    }
}
