package dev.weir.jdbc;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.jdbc.OracleLimit.Grant;
import dev.weir.testkit.Stress;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Eight processes use one key of each limit at random, and are killed. What is granted is judged by the time of the database. */
@Tag("real-time")
@Timeout(1_800)
class SharedByProcessesTest {
    private static final int PROCESSES = 8;
    private static final int KILLS = Stress.of(8, 60, 1_000);

    /** Between two kills. */
    private static final long GRANTS = 500;

    private static final int RECORD = 3 * Long.BYTES;

    @TempDir
    private Path directory;

    private final List<Process> processes = new ArrayList<>();
    private int started;

    @AfterEach
    void endProcesses() {
        processes.forEach(Process::destroyForcibly);
        processes.forEach(process -> process.onExit().join());
    }

    private Process started(String url, boolean isBlind) {
        try {
            return new ProcessBuilder(
                            ProcessHandle.current().info().command().orElse("java"),
                            "-Xmx64m",
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-cp",
                            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                            SharingProcess.class.getName(),
                            url,
                            directory.resolve("grants" + started).toString(),
                            Integer.toString(started++),
                            Boolean.toString(isBlind))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts the processes, and kills one after the other and starts another one in its place. */
    private Map<OracleLimit, List<Grant>> granted(Database database, boolean isBlind) {
        Random random = new Random(started);
        for (int i = 0; i < PROCESSES; i++) {
            processes.add(started(database.url(), isBlind));
        }
        for (int kill = 0; kill <= KILLS; kill++) {
            long enough = written() + GRANTS * RECORD;
            await().atMost(Duration.ofMinutes(5)).until(() -> written() >= enough);
            Process killed = processes.remove(random.nextInt(PROCESSES));
            assertTrue(killed.isAlive(), "a process has ended by itself");
            killed.destroyForcibly().onExit().join();
            processes.add(started(database.url(), isBlind));
        }
        endProcesses();
        return read();
    }

    private Stream<Path> files() {
        return Stream.iterate(0, i -> i < started, i -> i + 1)
                .map(i -> directory.resolve("grants" + i))
                .filter(Files::exists);
    }

    private long written() {
        return files().mapToLong(file -> file.toFile().length()).sum();
    }

    private Map<OracleLimit, List<Grant>> read() {
        Map<OracleLimit, List<Grant>> all = new EnumMap<>(OracleLimit.class);
        for (OracleLimit limit : OracleLimit.values()) {
            all.put(limit, new ArrayList<>());
        }
        files().forEach(file -> {
            try {
                ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
                while (bytes.remaining() >= RECORD) {
                    OracleLimit limit = OracleLimit.values()[(int) bytes.getLong()];
                    all.get(limit).add(new Grant(bytes.getLong(), bytes.getLong()));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        all.values().forEach(grants -> grants.sort(Comparator.comparingLong(Grant::atMicros)));
        return all;
    }

    private void check(Database database) {
        granted(database, false).forEach((limit, grants) -> {
            long granted = grants.stream().mapToLong(Grant::permits).sum();
            long micros =
                    grants.get(grants.size() - 1).atMicros() - grants.get(0).atMicros();
            System.out.println("FIGURE " + limit + ": " + granted + " granted in " + micros / 1_000 + " ms with "
                    + KILLS + " kills, it allows " + limit.refilled(micros) + " and a burst");
            assertEquals(0, Math.max(0, limit.excess(grants)), limit + " granted too many permits");
            assertTrue(granted >= limit.refilled(micros) / 3, limit + " granted only " + granted);
        });
    }

    @Test
    @Needs(Server.POSTGRES)
    void D1_D2_R1_allProcessesTogetherAreGrantedTheLimitAndNoMoreByPostgres() {
        try (Database database = Database.postgres()) {
            check(database);
        }
    }

    @Test
    @Needs(Server.MARIADB)
    void D1_D2_R1_andByMariaDb() {
        try (Database database = Database.mariaDb()) {
            check(database);
        }
    }

    @Test
    void D1_D2_R1_andByAServerOfH2() {
        try (Database database = Database.h2Server()) {
            check(database);
        }
    }

    @Test
    @Needs(Server.POSTGRES)
    void R1_brokenTwin_aStoreThatDoesNotCompareGrantsTooMany() {
        try (Database database = Database.postgres()) {
            Map<OracleLimit, List<Grant>> granted = granted(database, true);
            assertTrue(
                    granted.entrySet().stream().anyMatch(limit -> limit.getKey().excess(limit.getValue()) > 0));
        }
    }
}
