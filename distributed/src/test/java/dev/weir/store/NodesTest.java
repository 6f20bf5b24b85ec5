package dev.weir.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.TokenBucket;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A store of three nodes, of which one does not answer. */
class NodesTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final long MILLI = 1_000_000;
    private static final int CLIENTS = 64;

    private final VirtualTime time = new VirtualTime();
    private final ModelStore store = new ModelStore(time, 1_000_000, HOUR.toNanos(), 1_000_000);
    private final List<TestNetwork> networks =
            List.of(new TestNetwork(time), new TestNetwork(time), new TestNetwork(time));
    private final SplittableRandom random = new SplittableRandom(1);

    /** Where a node's keys are now. */
    private IntUnaryOperator moved = node -> node;

    private int nodes = 3;

    private long[] asked = new long[3];
    private long[] local = new long[3];
    private boolean ended;

    /** Keys are integers, and each node has every third. */
    private int nodeOf(@Nullable Object key) {
        return key == null ? 0 : moved.applyAsInt((Integer) key % 3);
    }

    private final class Sharded implements StoreLimit {
        private final List<StoreLimit> each = networks.stream().map(store::over).toList();

        private StoreLimit of(@Nullable Object key) {
            return each.get(nodeOf(key));
        }

        @Override
        public CompletionStage<Reply> acquire(@Nullable Object key, long permits) {
            return of(key).acquire(key, permits);
        }

        @Override
        public CompletionStage<Reply> acquireUpTo(@Nullable Object key, long permits) {
            return of(key).acquireUpTo(key, permits);
        }

        @Override
        public CompletionStage<Reply> charge(@Nullable Object key, long permits) {
            return of(key).charge(key, permits);
        }

        @Override
        public CompletionStage<?> ping() {
            return CompletableFuture.allOf(
                    each.stream().map(node -> node.ping().toCompletableFuture()).toArray(CompletableFuture[]::new));
        }

        @Override
        public int nodes() {
            return nodes;
        }

        @Override
        public int node(@Nullable Object key) {
            return nodeOf(key);
        }

        @Override
        public String nodeName(int node) {
            return "node " + node;
        }

        @Override
        public CompletionStage<?> ping(int node) {
            return nodes == 1 ? ping() : each.get(node).ping();
        }
    }

    private StoreRateLimiter limiter(Mode mode) {
        return StoreRateLimiter.builder(
                        "api",
                        TokenBucket.of(1_000_000, HOUR).withCapacity(1_000_000),
                        spec -> new Sharded(),
                        WhenAway.local(2))
                .local((spec, place) -> TokenBucket.of(100_000_000, SECOND))
                .mode(mode)
                .ticker(time)
                .executor(Runnable::run)
                .build();
    }

    /** Clients that ask for one key after the other, a millisecond after each answer. */
    private void load(StoreRateLimiter limiter) {
        for (int client = 0; client < CLIENTS; client++) {
            next(limiter);
        }
    }

    private void next(StoreRateLimiter limiter) {
        if (ended) {
            return;
        }
        int key = random.nextInt(3_000);
        CompletableFuture<Decision> unused = ask(limiter, key).whenComplete((decision, failure) -> {
            asked[key % 3]++;
            boolean isLocal = ((Permit) decision).quota() == null;
            local[key % 3] += isLocal ? 1 : 0;
            time.ring(MILLI, () -> next(limiter));
        });
    }

    private static CompletableFuture<Decision> ask(StoreRateLimiter limiter, int key) {
        return limiter.acquireAsync(new Request(1, 0, key, Request.NO_DEADLINE), Duration.ZERO);
    }

    private void measure() {
        asked = new long[3];
        local = new long[3];
        time.advance(SECOND.multipliedBy(5));
    }

    private double localShare() {
        return (double) (local[0] + local[1] + local[2]) / (asked[0] + asked[1] + asked[2]);
    }

    @Test
    void D7_aNodeThatDoesNotAnswerIsMissedByItsKeysOnly() {
        for (Mode mode : List.of(Mode.exact(), Mode.verdict())) {
            StoreRateLimiter limiter = limiter(mode);
            load(limiter);
            time.advance(SECOND);
            networks.get(0).cut = true;
            measure();
            assertEquals(0, local[1] + local[2], "of the nodes that answer");
            assertTrue(localShare() <= 1 / 3.0 + 0.01, () -> "local: " + localShare());
            assertEquals(List.of("node 0"), limiter.status().away());
            if (mode instanceof Mode.Exact) {
                assertTrue(limiter.status().timeouts() < CLIENTS + 100, limiter.status()::toString);
            }
            networks.get(0).cut = false;
            time.advance(SECOND);
            assertEquals(List.of(), limiter.status().away());
            assertTrue(limiter.status().up());
            ended = true;
            time.advance(SECOND);
            ended = false;
        }
    }

    @Test
    void D7_brokenTwin_oneLinkForAllNodesMissesAll() {
        nodes = 1;
        StoreRateLimiter limiter = limiter(Mode.exact());
        load(limiter);
        time.advance(SECOND);
        networks.get(0).cut = true;
        measure();
        assertTrue(localShare() > 0.9, () -> "local: " + localShare());
    }

    @Test
    void D7_batchesOfANodeThatAnswersAreTakenFromIt() {
        StoreRateLimiter limiter = limiter(Mode.batched(20));
        networks.get(0).cut = true;
        CompletableFuture<Decision> elsewhere = ask(limiter, 1);
        for (int i = 0; i < 10; i++) {
            CompletableFuture<Decision> here = ask(limiter, 3 * i);
            time.advance(200 * MILLI);
            assertInstanceOf(Permit.class, here.getNow(null));
        }
        assertInstanceOf(Permit.class, elsewhere.getNow(null));
        assertEquals(10, limiter.status().localDecisions());
        assertEquals(List.of("node 0"), limiter.status().away());
        for (int i = 0; i < 100; i++) {
            CompletableFuture<Decision> more = ask(limiter, 1);
            time.advance(MILLI);
            assertInstanceOf(Permit.class, more.getNow(null));
        }
        assertEquals(10, limiter.status().localDecisions());
    }

    /** Nodes fail in all ways, and keys move: in the end every permit was counted once, but for those in doubt. */
    @Test
    void D7_whateverFailsIsCountedOrInDoubt() {
        store.refundsAll = true;
        StoreRateLimiter limiter = limiter(Mode.exact());
        for (int step = 0; step < 20_000; step++) {
            asked[0]++;
            CompletableFuture<Decision> unused = ask(limiter, random.nextInt(30));
            if (random.nextInt(50) == 0) {
                fault(networks.get(random.nextInt(3)));
            }
            if (random.nextInt(200) == 0) {
                int shift = random.nextInt(3);
                moved = node -> (node + shift) % 3;
            }
            time.advance(random.nextInt(3) * MILLI / 2);
        }
        networks.forEach(TestNetwork::heal);
        time.advance(SECOND.multipliedBy(3));
        StoreStatus status = limiter.status();
        assertTrue(status.up() && status.localDecisions() > 1_000, status::toString);
        long missing = asked[0] - store.counted();
        assertTrue(Math.abs(missing) <= status.inDoubtPermits(), () -> missing + " missing, " + status);
        assertTrue(status.uncountedPermits() < status.localDecisions() / 10, status::toString);
    }

    private void fault(TestNetwork network) {
        switch (random.nextInt(8)) {
            case 0 -> network.cut = true;
            case 1 -> network.answersLost = true;
            case 2 -> network.failing = true;
            case 3 -> network.disconnected = true;
            default -> network.heal();
        }
    }

    /** A replica takes the place of the node that is away: what was granted meanwhile is counted there, before the next request. */
    @Test
    void D7_whatANodeHasStillToCountFollowsItsKeys() {
        StoreRateLimiter limiter = limiter(Mode.exact());
        networks.get(0).failing = true;
        for (int i = 0; i < 10; i++) {
            assertInstanceOf(Permit.class, ask(limiter, 3).getNow(null));
        }
        assertEquals(List.of("node 0"), limiter.status().away());
        moved = node -> node == 0 ? 1 : node;
        CompletableFuture<Decision> next = ask(limiter, 3);
        time.advance(2 * MILLI);
        Permit.Quota quota = assertInstanceOf(Permit.class, next.getNow(null)).quota();
        assertNotNull(quota);
        assertEquals(10, store.charged);
        assertEquals(1_000_000 - 11, quota.remaining());
        assertEquals(0, limiter.status().uncountedPermits());
    }

    @Test
    void aNodeThatIsNewIsUsedAndOneThatIsNoneCountsAsTheFirst() {
        nodes = 2;
        StoreRateLimiter limiter = limiter(Mode.exact());
        networks.get(0).failing = true;
        for (int i = 0; i < 5; i++) {
            assertInstanceOf(Permit.class, ask(limiter, 0).getNow(null));
        }
        assertInstanceOf(Permit.class, ask(limiter, 2).getNow(null), "of node 2, which is none");
        assertEquals(List.of("node 0"), limiter.status().away());
        nodes = 3;
        long before = limiter.status().localDecisions();
        CompletableFuture<Decision> next = ask(limiter, 2);
        time.advance(2 * MILLI);
        assertInstanceOf(Permit.class, next.getNow(null));
        assertEquals(before, limiter.status().localDecisions());
    }
}
