package dev.weir.store;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.TokenBucket;
import dev.weir.share.Instances.Place;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A key that throws loses no request of another key. */
class FailingKeyTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private static final class Key {
        private boolean fails;

        @Override
        public int hashCode() {
            if (fails) {
                throw new IllegalStateException("no hash");
            }
            return 1;
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    private final VirtualTime time = new VirtualTime();
    private final ModelStore store = new ModelStore(time, 100, SECOND.toNanos(), 100);
    private final TestNetwork network = new TestNetwork(time);

    static List<Mode> modes() {
        return List.of(Mode.exact(), Mode.verdict(), Mode.batched(20));
    }

    @ParameterizedTest
    @MethodSource("modes")
    void S15_otherRequestsAreAnsweredAtTheTimeOut(Mode mode) {
        StoreRateLimiter limiter = StoreRateLimiter.builder(
                        "api",
                        TokenBucket.of(100, SECOND),
                        spec -> store.over(network),
                        WhenAway.local(() -> new Place(0, 2)))
                .local(WhenAwayTest::part)
                .mode(mode)
                .ticker(time)
                .executor(Runnable::run)
                .build();
        network.cut = true;
        Key key = new Key();
        List<CompletableFuture<Decision>> others = new ArrayList<>();
        CompletableFuture<Decision> failing =
                limiter.acquireAsync(new Request(1, 0, key, Request.NO_DEADLINE), Duration.ZERO);
        for (int i = 0; i < 3; i++) {
            others.add(limiter.acquireAsync(new Request(2, 0, "k" + i, Request.NO_DEADLINE), Duration.ZERO));
        }
        key.fails = true;
        try {
            time.advance(SECOND);
        } catch (IllegalStateException e) {
            time.advance(SECOND);
        }
        others.forEach(each -> {
            assertTrue(each.isDone());
            assertInstanceOf(Permit.class, each.join());
        });
        assertTrue(failing.isDone());
    }
}
