package dev.weir.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.alibaba.csp.sentinel.slots.block.RuleConstant;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Other kinds of limiters run before the measured one. */
class MixedTest {
    private static final Duration DAY = Duration.ofDays(1);

    static Stream<Supplier<Object>> peers() {
        return Stream.of(
                () -> RatePeers.guava(1),
                () -> RatePeers.resilience4j(1, DAY),
                () -> RatePeers.bucket4j(1, DAY),
                () -> RatePeers.failsafe(1, DAY),
                () -> ConcurrencyPeers.resilience4j(1),
                () -> ConcurrencyPeers.netflix(1),
                ConcurrencyPeers::netflixGradient2,
                () -> ConcurrencyPeers.failsafe(1),
                () -> ConcurrencyPeers.failsafeExecutor(1),
                () -> ConcurrencyPeers.semaphore(1),
                () -> new SentinelResource(RuleConstant.FLOW_GRADE_THREAD, 1));
    }

    /** Each of them throws if a limiter of another kind was never granted, or never refused. */
    @ParameterizedTest
    @MethodSource("peers")
    void everyOtherKindOfAPeerIsGrantedAndRefused(Supplier<Object> peer) {
        peer.get();
    }

    @Test
    void aKindThatIsOnlyGrantedOrOnlyRefusedIsAnError() {
        for (boolean granted : List.of(true, false)) {
            assertThrows(IllegalStateException.class, () -> Mixed.exercise(() -> granted));
        }
    }

    @Test
    void workIsOfTwoKindsInTurn() {
        Mixed.Works works = new Mixed.Works();
        Runnable first = works.next();
        Runnable second = works.next();
        assertEquals(false, first.getClass() == second.getClass());
        assertEquals(first, works.next());
    }
}
