package dev.weir.redis;

import static dev.weir.redis.TestScripts.soon;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Eight processes make calls that cost up to four times their estimates; half of the processes are killed while they hold calls.
 * What the calls have really cost is added up from what the processes wrote, and judged by the time of the server.
 */
@Tag("real-time")
@Timeout(600)
@Needs(Server.REDIS)
class SettledByProcessesTest {
    private static final int PROCESSES = 8;
    private static final int KILLED = 4;
    private static final int CALLS = 80;
    private static final int CALLS_BEFORE_KILL = 30;
    private static final long ENDLESS = 1_000_000;

    /** What a call may overrun. */
    private static final long OVERRUN = (SettlingProcess.MAX_TIMES - 1) * SettlingProcess.MAX_ESTIMATE;

    @TempDir
    Path directory;

    private final RedisServer server = RedisServer.inMemory();
    private final RedisClient client = RedisClient.create(server.uri());
    private final RedisCommands<String, String> redis = client.connect().sync();
    private final List<Process> processes = new ArrayList<>();
    private long none;
    private long started;

    private record Call(long estimate, long cost, boolean settled) {}

    @BeforeEach
    void start() throws IOException {
        for (int i = 0; i < PROCESSES; i++) {
            processes.add(new ProcessBuilder(
                            ProcessHandle.current().info().command().orElse("java"),
                            "-Xmx64m",
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-cp",
                            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                            SettlingProcess.class.getName(),
                            server.uri(),
                            file(i).toString(),
                            String.valueOf(i),
                            String.valueOf(i < KILLED ? ENDLESS : CALLS))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
        }
    }

    @AfterEach
    void stop() {
        processes.forEach(Process::destroyForcibly);
        processes.forEach(process -> process.onExit().join());
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        server.close();
    }

    private Path file(int process) {
        return directory.resolve("calls" + process);
    }

    private long serverMicros() {
        List<String> time = redis.time();
        return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
    }

    /* Of the last two looks the first found no call. */
    private boolean isStarted() {
        started = none;
        none = serverMicros();
        for (int i = 0; i < PROCESSES; i++) {
            if (!lines(i).isEmpty()) {
                return true;
            }
        }
        return false;
    }

    private List<String> lines(int process) {
        try {
            return Files.exists(file(process)) ? Files.readAllLines(file(process)) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<Call> calls(int process) {
        Map<String, Call> calls = new HashMap<>();
        for (String line : lines(process)) {
            String[] parts = line.split(" ", -1);
            if (parts[0].equals("call") && parts.length == 4) {
                calls.put(parts[1], new Call(Long.parseLong(parts[2]), Long.parseLong(parts[3]), false));
            } else if (parts[0].equals("settled") && calls.containsKey(parts[1])) {
                calls.computeIfPresent(parts[1], (id, call) -> new Call(call.estimate, call.cost, true));
            } else {
                throw new AssertionError(line);
            }
        }
        return List.copyOf(calls.values());
    }

    @Test
    void D1_R1_whatWasReallySpentIsTheLimitAndWhatTheCallsInFlightOverran() throws Exception {
        none = serverMicros();
        soon().atMost(Duration.ofMinutes(5)).until(this::isStarted);
        for (int i = 0; i < KILLED; i++) {
            int killed = i;
            soon().atMost(Duration.ofMinutes(5)).until(() -> lines(killed).size() >= 2 * CALLS_BEFORE_KILL);
            processes.get(killed).destroyForcibly().onExit().join();
        }
        for (Process process : processes.subList(KILLED, PROCESSES)) {
            assertEquals("done", process.inputReader().readLine());
        }
        long micros = serverMicros() - started;
        List<Call> all = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            List<Call> calls = calls(i);
            long open = calls.stream().filter(call -> !call.settled).count();
            assertTrue(i < KILLED || open == 0, "all of a process that ended are settled");
            assertTrue(open <= SettlingProcess.HELD + 1, "held by " + i + ": " + open);
            all.addAll(calls);
        }
        long spent = all.stream().mapToLong(Call::cost).sum();
        long lost = all.stream()
                .filter(call -> !call.settled)
                .mapToLong(call -> Math.max(0, call.cost - call.estimate))
                .sum();
        long refilled = micros * SettlingProcess.RATE / 1_000_000;
        long inFlight = PROCESSES * SettlingProcess.HELD * OVERRUN;
        long allowed = SettlingProcess.BURST + refilled + lost + inFlight;
        String found = spent + " spent of " + allowed + ": " + refilled + " in " + micros / 1_000 + " ms, " + lost
                + " not settled, " + inFlight + " in flight";
        System.out.println("FIGURE settled by processes: " + found);
        assertTrue(spent <= allowed, found);
        long overrun = all.stream()
                .mapToLong(call -> Math.max(0, call.cost - call.estimate))
                .sum();
        assertTrue(overrun > 2 * (lost + inFlight), () -> "too little was overrun to be seen: " + overrun);
        assertTrue(lost > 0, "calls were killed that overran");
    }
}
