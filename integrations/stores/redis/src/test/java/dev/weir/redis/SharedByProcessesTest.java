package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.testkit.Stress;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Eight processes, whose clocks differ by up to two hours, use one key of each limit as fast as they can. What is granted is judged by the time of the server. */
@Tag("real-time")
@Timeout(1_800)
@Needs(Server.REDIS)
class SharedByProcessesTest {
    private static final int PROCESSES = 8;
    private static final int DECISIONS = Stress.of(2_000, 100_000, 1_000_000);

    private static final Duration SKEW = Duration.ofHours(1);

    @TempDir
    Path directory;

    private final RedisServer server = RedisServer.inMemory();
    private final List<Process> processes = new ArrayList<>();
    private final List<BufferedReader> answers = new ArrayList<>();

    @BeforeEach
    void start() throws IOException {
        for (int i = 0; i < PROCESSES; i++) {
            Process process = new ProcessBuilder(
                            ProcessHandle.current().info().command().orElse("java"),
                            "-Xmx64m",
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-cp",
                            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                            SharingProcess.class.getName(),
                            server.uri(),
                            SKEW.multipliedBy(i % 2 == 0 ? 1 : -1)
                                    .multipliedBy(i + 1)
                                    .dividedBy(PROCESSES)
                                    .toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            processes.add(process);
            answers.add(process.inputReader());
        }
        expect("ready");
    }

    private void expect(String line) throws IOException {
        for (BufferedReader answer : answers) {
            assertEquals(line, answer.readLine());
        }
    }

    @AfterEach
    void stop() {
        processes.forEach(Process::destroyForcibly);
        processes.forEach(process -> process.onExit().join());
        server.close();
    }

    @Test
    void D1_D2_R1_allProcessesTogetherAreGrantedTheLimitAndNoMore() throws IOException {
        for (SharedLimit limit : SharedLimit.values()) {
            for (int i = 0; i < PROCESSES; i++) {
                PrintStream input = new PrintStream(processes.get(i).getOutputStream(), true);
                input.println(limit + " " + DECISIONS + " " + file(i));
            }
            expect("done");
            System.out.println("FIGURE " + limit + ": " + limit.check(history()));
        }
    }

    private Path file(int process) {
        return directory.resolve("answers" + process);
    }

    private AnswerHistory history() throws IOException {
        long[] all = new long[PROCESSES * DECISIONS];
        for (int i = 0; i < PROCESSES; i++) {
            byte[] written = Files.readAllBytes(file(i));
            assertEquals(DECISIONS * Long.BYTES, written.length, "answers of process " + i);
            ByteBuffer.wrap(written).asLongBuffer().get(all, i * DECISIONS, DECISIONS);
        }
        assertTrue(LongStream.of(all).allMatch(answer -> answer > 0), "each request was answered");
        return AnswerHistory.of(LongStream.of(all));
    }
}
