package dev.weir.config.builtin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Semaphore;
import dev.weir.budget.AdaptiveThrottle;
import dev.weir.budget.HedgeBudget;
import dev.weir.budget.RetryBudget;
import dev.weir.keyed.Keyed;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Budgets and throttles in documents. */
class ClientLimitsTest {
    static Stream<Arguments> limits() {
        return Stream.of(
                Arguments.of("budget: { retries: 10%, floor: 3/s }", RetryBudget.of(0.1, 3)),
                Arguments.of("budget: { retries: 0.1 }", RetryBudget.of(0.1, 0)),
                Arguments.of("algorithm: budget, budget: { retries: 10%, floor: 120/min }", RetryBudget.of(0.1, 2)),
                Arguments.of(
                        "budget: { retries: 100%, floor: 3/s, period: 1min }",
                        new RetryBudget(1, 3, Duration.ofMinutes(1))),
                Arguments.of("budget: { hedges: 5% }", HedgeBudget.of(0.05)),
                Arguments.of("budget: { hedges: 5%, burst: 3 }", new HedgeBudget(0.05, 3)),
                Arguments.of("throttle: { k: 2 }", AdaptiveThrottle.of(2)),
                Arguments.of("throttle: {}", AdaptiveThrottle.of(2)),
                Arguments.of("throttle: 1.1", AdaptiveThrottle.of(1.1)),
                Arguments.of("throttle: 2, queue: false", AdaptiveThrottle.of(2)),
                Arguments.of(
                        "algorithm: throttle, throttle: { k: 1.5, window: 10s }",
                        new AdaptiveThrottle(1.5, Duration.ofSeconds(10))),
                Arguments.of("budget: { hedges: 5% }, key: host, max-keys: 100", Keyed.of(HedgeBudget.of(0.05), 100)),
                Arguments.of(
                        "all-of: [ { budget: { retries: 10% } }, { throttle: 2 }, { concurrency: 40 } ]",
                        AllOf.of(RetryBudget.of(0.1, 0), AdaptiveThrottle.of(2), new Semaphore(40))));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void aLimit(String limit, StrategySpec created) throws Exception {
        StrategySpec spec = BuiltinTest.plan(limit).spec();
        if (created instanceof Keyed keyed) {
            assertEquals(keyed.perKey(), assertInstanceOf(Keyed.class, spec).perKey());
        } else {
            assertEquals(created, spec);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "budget: { floor: 3/s } | must have either retries or hedges",
                "budget: { retries: 10%, hedges: 5% } | must have either retries or hedges",
                "budget: { retries: 10%, burst: 5 } | burst must not be given without hedges",
                "budget: { hedges: 10%, floor: 5/s } | floor must not be given without retries",
                "budget: { hedges: 10%, period: 5s } | period must not be given without retries",
                "budget: { retries: 10%, floor: 10/min } | floor must be a whole number of retries a second, at most 1000000000, such as 3/s",
                "budget: { retries: 10%, floor: 2000M/s } | floor must be a whole number of retries a second, at most 1000000000, such as 3/s",
                "budget: { retries: 110% } | must be >= 0 and <= 1",
                "budget: 10% | must be a map with retries or hedges",
                "budget: { retrys: 10% } | is not known; did you mean retries?",
                "throttle: { k: 0.5 } | must be >= 1 and <= 1000",
                "throttle: { window: 2h } | must be >= 1s and <= 1h",
                "budget: { hedges: 5% }, concurrency: 4 | must have only one of concurrency, rate, budget and throttle; use all-of for several",
                "throttle: 2, adaptive: true | must not be given with budget or throttle: they have no limit that could be set",
                "budget: { retries: 10% }, queue: 100 | must not be given with budget or throttle: a retry that waits is in the way of first attempts",
                "throttle: 2, queue: { capacity: 100 } | must not be given with budget or throttle: a retry that waits is in the way of first attempts",
                "budget: { hedges: 5% }, key: host, queue: 100 | must not be given with budget or throttle: a retry that waits is in the way of first attempts",
                "all-of: [ { concurrency: 40 }, { throttle: 2 } ], queue: 100 | must not be given with budget or throttle: a retry that waits is in the way of first attempts",
                "throttle: 2, warm-up: 10s | must not be given with budget or throttle: they have no limit to raise",
                "all-of: [ { throttle: 2, warm-up: 10s } ] | must not be given with budget or throttle: they have no limit to raise",
                "throttle: 2, scope: store, when-away: open | must not be given with budget or throttle: outcomes are of one instance",
                "budget: { hedges: 5% }, share: { quota: 400, of: zookeeper, degraded: 1 } | must not be given with budget or throttle: they have no limit that could be set"
            })
    void aMistake(String limit, String rule) throws Exception {
        assertEquals(List.of(rule), BuiltinTest.problems(limit));
    }
}
