package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.testkit.Stress;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a client does before its first decision. */
@Needs(Server.REDIS)
class ColdStartTest {
    /** A process that needs longer has no time to warm up: the machine has too much to do. */
    private static final long BOUND_MILLIS = 1_990;

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    @Test
    void allScriptsAreLoadedAndNoKeyIsLeft() {
        RedisCommands<String, String> commands = REDIS.commands();
        commands.scriptFlush();
        Redis.connect(REDIS.server().uri()).close();
        assertEquals(0, commands.dbsize());
        assertEquals(
                List.of(true, true),
                commands.scriptExists(Script.LIMIT.sha(), Script.semaphore().sha()));
    }

    @Test
    @Tag("real-time")
    void noneOfTheFirstRequestsOfAProcessIsUnavailable() throws IOException, InterruptedException {
        int inTime = 0;
        int wanted = Stress.of(1, 5, 50);
        for (int i = 0; i < 10 * wanted && inTime < wanted; i++) {
            REDIS.commands().scriptFlush();
            long[] found = coldProcess();
            if (found[1] < BOUND_MILLIS) {
                assertEquals(0, found[0], () -> "of the first requests, after " + found[1] + " ms");
                inTime++;
            }
        }
        assertEquals(wanted, inTime, "processes that had the time to begin");
    }

    /** How many requests were {@code UNAVAILABLE}, and after how many milliseconds the client was there. */
    private static long[] coldProcess() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-Xmx64m",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        ColdProcess.class.getName(),
                        REDIS.server().uri())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String line = process.inputReader().readLine();
        assertEquals(0, process.waitFor());
        return Arrays.stream(line.split(" ")).mapToLong(Long::parseLong).toArray();
    }
}
