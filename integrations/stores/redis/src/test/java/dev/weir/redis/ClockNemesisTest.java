package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.spi.StrategySpec;
import dev.weir.store.WhenAway;
import dev.weir.testkit.Stress;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server whose clock jumps by an hour, forward and back, while limits that are used up are asked. */
@Tag("real-time")
@Timeout(3_600)
@Needs(Server.REDIS)
class ClockNemesisTest {
    private static final int ROUNDS = Stress.of(1, 10, 100);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration PERIOD = Duration.ofMinutes(30);
    private static final long RATE = 200;
    private static final long LIMIT = 500;

    /** One limit of each rule. Each jump forward is longer than its period, and may free all of it. */
    private record Limits(
            KeyedLoad load, KeyedLoad.Limit bucket, List<KeyedLoad.Limit> windows, KeyedLoad.Limit aligned) {
        static Limits of(KeyedLoad load) {
            KeyedLoad.Limit bucket =
                    made(load, TokenBucket.of(RATE, Duration.ofSeconds(1)).withCapacity(LIMIT));
            List<KeyedLoad.Limit> windows = List.of(
                    made(load, SlidingWindow.of(LIMIT, PERIOD)),
                    made(load, SlidingLog.of(LIMIT, PERIOD)),
                    made(load, new FirstHitQuota(LIMIT, PERIOD)));
            return new Limits(load, bucket, windows, made(load, FixedWindow.aligned(LIMIT, PERIOD)));
        }

        private static KeyedLoad.Limit made(KeyedLoad load, StrategySpec spec) {
            return load.limit(spec.getClass().getSimpleName(), spec, WhenAway.closed(), List.of("key"));
        }

        /** After so many jumps forward. A window that is aligned may end by itself. */
        boolean areWithin(int jumps) {
            long most = (1 + jumps) * LIMIT;
            return bucket.granted() <= most + load.refilled(RATE)
                    && windows.stream().allMatch(window -> window.granted() <= most)
                    && aligned.granted() <= most + LIMIT;
        }

        boolean areUsedUp(int jumps) {
            long all = (1 + jumps) * LIMIT;
            return bucket.granted() >= all && windows.stream().allMatch(window -> window.granted() >= all);
        }

        private void assertWithin(int jumps) {
            assertTrue(areWithin(jumps), () -> jumps + " jumps forward: " + this);
        }

        @Override
        public String toString() {
            List<Long> granted = new ArrayList<>(List.of(bucket.granted()));
            windows.forEach(window -> granted.add(window.granted()));
            granted.add(aligned.granted());
            return granted + " granted, " + load.refilled(RATE) + " refilled";
        }
    }

    /** The clock of the server goes to so much more than that of the machine, which it answers from then on. */
    private static void jump(RedisServer server, RedisCommands<String, String> commands, Duration to, Duration by) {
        long before = seconds(commands);
        server.setClock(to);
        long jumped = seconds(commands) - before - by.toSeconds();
        assertTrue(jumped >= 0 && jumped < 600, () -> "the clock went " + jumped + " s further than " + by);
    }

    private static long seconds(RedisCommands<String, String> commands) {
        return Long.parseLong(commands.time().get(0));
    }

    /** All is refused, or refilled by the time that passes, but nothing is granted for the jump. */
    private static void goesOnAfterAStepBack(Limits limits, int jumps) {
        long before = limits.bucket.granted();
        limits.load.awaitCalls(1_000);
        KeyedLoad.eventually().until(() -> limits.bucket.granted() > before + RATE / 10);
        limits.assertWithin(jumps);
    }

    @Test
    @Needs(Server.FAKETIME)
    void D2_aJumpForwardFreesOneBurstAndAJumpBackNothing() {
        try (RedisServer server = RedisServer.withClock();
                KeyedLoad load = new KeyedLoad(server.uri(), 1)) {
            RedisClient client = RedisClient.create(server.uri());
            RedisCommands<String, String> commands = client.connect().sync();
            Limits limits = Limits.of(load);
            load.start();
            KeyedLoad.eventually().until(() -> limits.areUsedUp(0) && limits.aligned.granted() >= LIMIT);
            int jumps = 0;
            for (int round = 0; round < ROUNDS; round++) {
                jump(server, commands, HOUR, HOUR);
                int forward = ++jumps;
                KeyedLoad.eventually().until(() -> limits.areUsedUp(forward));
                limits.assertWithin(jumps);
                jump(server, commands, Duration.ZERO, HOUR.negated());
                goesOnAfterAStepBack(limits, jumps);
                jump(server, commands, HOUR.negated(), HOUR.negated());
                goesOnAfterAStepBack(limits, jumps);
                jump(server, commands, Duration.ZERO, HOUR);
                int again = ++jumps;
                KeyedLoad.eventually().until(() -> limits.areUsedUp(again));
                limits.assertWithin(jumps);
            }
            assertFalse(limits.areWithin(jumps - 1), "each jump forward has freed a burst");
            System.out.printf(
                    ">>> clock: %d jumps forward, %d back, %s, %,d calls%n", jumps, jumps, limits, load.calls());
            brokenTwin(limits, jumps, commands);
            load.check("clock");
            client.shutdown();
        }
    }

    /** A server that forgets what is used when its clock goes back is found. */
    private static void brokenTwin(Limits limits, int jumps, RedisCommands<String, String> commands) {
        commands.flushall();
        KeyedLoad.eventually().until(() -> !limits.areWithin(jumps));
    }
}
