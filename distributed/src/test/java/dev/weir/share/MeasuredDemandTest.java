package dev.weir.share;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.Permit;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class MeasuredDemandTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();

    private static void ask(ManagedLimiter limiter, int times, List<Permit> granted) {
        for (int i = 0; i < times; i++) {
            if (limiter.tryAcquire() instanceof Permit permit) {
                granted.add(permit);
            }
        }
    }

    @Test
    void theDemandOfARateIsWhatItWasAskedForInAPeriod() {
        ManagedLimiter limiter =
                Limiters.builder("r", TokenBucket.of(10, SECOND)).ticker(time).build();
        MeasuredDemand demand = new MeasuredDemand(limiter, SECOND.toNanos());
        ask(limiter, 60, new ArrayList<>());
        time.advance(Duration.ofSeconds(2));
        assertEquals(30, demand.getAsLong(), "granted or refused");
        time.advance(SECOND);
        assertEquals(22, demand.getAsLong(), "a quarter less");
        time.advance(SECOND);
        assertEquals(16, demand.getAsLong());
    }

    @Test
    void theDemandOfAConcurrencyLimitIsWhatIsInFlightAndInProportionWhatWasRefused() {
        ManagedLimiter limiter =
                Limiters.builder("c", new Semaphore(10)).ticker(time).build();
        MeasuredDemand demand = new MeasuredDemand(limiter, SECOND.toNanos());
        List<Permit> held = new ArrayList<>();
        ask(limiter, 4, held);
        time.advance(SECOND);
        assertEquals(4, demand.getAsLong());
        ask(limiter, 18, held);
        time.advance(SECOND);
        assertEquals(10 + 20, demand.getAsLong(), "6 of 18 were granted");
        held.forEach(Permit::close);
        time.advance(SECOND);
        assertEquals(22, demand.getAsLong());
    }
}
