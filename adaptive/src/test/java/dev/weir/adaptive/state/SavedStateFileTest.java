package dev.weir.adaptive.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.adaptive.state.SavedStateReport.Event;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Saved state among the other files, processes and limits of a real system. */
class SavedStateFileTest {
    @TempDir
    Path dir;

    private Path file = Path.of("set before each");
    private final List<SavedStateReport> reports = new ArrayList<>();

    @BeforeEach
    void inTheDirectory() {
        file = dir.resolve("state");
    }

    private SavedStateFile open() {
        return SavedStateFile.at(file).reportingTo(reports::add).open();
    }

    private SavedStateFile including(String name, long limit) {
        SavedStateFile state = open();
        state.include(Limiters.of(name, new Semaphore(limit)));
        return state;
    }

    private SavedStateReport last() {
        return reports.get(reports.size() - 1);
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(dir)) {
            return files.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    private static void run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).inheritIO().start();
        assumeTrue(process.waitFor() == 0, command[0] + " is not allowed");
    }

    private void refusesBoth() {
        SavedStateFile state = including("search", 3);
        assertEquals(Event.UNREADABLE, last().event());
        assertFalse(state.save());
        assertEquals(Event.UNSAVED, last().event());
    }

    @Test
    void aSymbolicLinkIsNeitherReadNorReplaced() throws Exception {
        Path target = dir.resolve("target");
        including("search", 320).save();
        Files.move(file, target);
        byte[] before = Files.readAllBytes(target);
        Files.createSymbolicLink(file, target);
        refusesBoth();
        assertTrue(Files.isSymbolicLink(file));
        assertEquals(-1, java.util.Arrays.mismatch(before, Files.readAllBytes(target)));
    }

    @Test
    void aSymbolicLinkToNothingIsNeitherReadNorReplaced() throws Exception {
        Files.createSymbolicLink(file, dir.resolve("nothing"));
        refusesBoth();
        assertTrue(Files.isSymbolicLink(file));
        assertFalse(Files.exists(dir.resolve("nothing")));
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void aPipeIsNeitherReadNorReplaced() throws Exception {
        run("mkfifo", file.toString());
        refusesBoth();
        assertFalse(Files.isRegularFile(file));
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void aDeviceIsNeitherReadNorReplaced() throws Exception {
        run("mknod", file.toString(), "c", "1", "3"); // as /dev/null
        refusesBoth();
        assertFalse(Files.isRegularFile(file));
    }

    @Test
    void aPlantedNewFileIsLeftAlone() throws Exception {
        Path target = Files.writeString(dir.resolve("target"), "of somebody else");
        Files.createSymbolicLink(dir.resolve("state.new"), target);
        assertTrue(including("search", 7).save());
        assertEquals("of somebody else", Files.readString(target));
        assertTrue(Files.isSymbolicLink(dir.resolve("state.new")));
        Files.delete(dir.resolve("state.new"));
        Files.writeString(dir.resolve("state.new"), "of somebody else");
        assertTrue(including("search", 8).save());
        assertEquals("of somebody else", Files.readString(dir.resolve("state.new")));
        assertEquals(8, open().restored("search").orElseThrow().limit());
    }

    @Test
    void aPlantedLockIsLeftAlone() throws Exception {
        Path target = dir.resolve("target");
        Files.createSymbolicLink(dir.resolve("state.lock"), target);
        assertFalse(including("search", 7).save());
        assertEquals(Event.UNSAVED, last().event());
        assertFalse(Files.exists(target));
        Files.delete(dir.resolve("state.lock"));
        Files.writeString(dir.resolve("state.lock"), "of somebody else");
        assertTrue(including("search", 7).save());
        assertEquals("of somebody else", Files.readString(dir.resolve("state.lock")));
    }

    @Test
    void whatAKilledProcessLeftBesideIsRemoved() throws Exception {
        Files.writeString(dir.resolve("state." + UUID.randomUUID() + ".new"), "weir-saved-state 1\nhalf a li");
        Path link = dir.resolve("state." + UUID.randomUUID() + ".new");
        Files.createSymbolicLink(link, dir.resolve("target"));
        assertTrue(including("search", 7).save());
        assertEquals(
                List.of("state", "state.lock", link.getFileName().toString()).stream()
                        .sorted()
                        .toList(),
                names());
    }

    @Test
    void twentyThousandLimitersAreSaved() throws Exception {
        SavedStateFile state = open();
        for (int i = 0; i < 20_000; i++) {
            state.include(Limiters.of("a limiter with a name of the usual length, number " + i, new Semaphore(i + 1)));
        }
        assertTrue(state.save());
        assertTrue(Files.size(file) > 1 << 20);
        SavedStateFile next = open();
        assertEquals(Event.RESTORED, last().event());
        assertEquals(
                20_000,
                next.restored("a limiter with a name of the usual length, number 19999")
                        .orElseThrow()
                        .limit());
    }

    @Test
    void moreThanTheHeapCouldHoldIsNotRead() throws Exception {
        try (var huge = new java.io.RandomAccessFile(file.toFile(), "rw")) {
            huge.setLength(Runtime.getRuntime().maxMemory() / 2); // sparse
        }
        open();
        assertEquals(Event.TOO_LARGE, last().event());
    }

    @Test
    @Tag("real-time")
    @DisabledOnOs(OS.WINDOWS)
    void aDiskThatIsFullHalfWayLosesNothing() throws Exception {
        SavedStateFile state = open();
        for (int i = 0; i < 2_000; i++) {
            state.include(Limiters.of("limiter " + i, new Semaphore(i + 1)));
        }
        assertTrue(state.save());
        byte[] before = Files.readAllBytes(file);
        Process limited =
                SavingProcess.started(List.of("sh", "-c", "ulimit -f 16 && exec \"$@\"", "sh"), file, "search", 2);
        SavingProcess.awaitOpen(limited);
        SavingProcess.proceed(limited);
        assertEquals(1, limited.waitFor(), "a file may have up to 16 blocks");
        assertEquals(-1, java.util.Arrays.mismatch(before, Files.readAllBytes(file)));
        assertEquals(List.of("state", "state.lock"), names(), "and nothing is left beside");
    }

    @Test
    @Tag("real-time")
    void twoProcessesLoseNothingOfEachOther() throws Exception {
        List<Process> both = List.of(
                SavingProcess.started(List.of(), file, "search", 300),
                SavingProcess.started(List.of(), file, "orders", 300));
        for (Process process : both) {
            SavingProcess.awaitOpen(process);
        }
        for (Process process : both) {
            SavingProcess.proceed(process);
        }
        int read = 0;
        while (both.stream().anyMatch(Process::isAlive) || read == 0) {
            if (Files.exists(file)) {
                assertNotNull(SavedStateText.read(Files.readAllBytes(file)), "whole at any time");
                read++;
            }
        }
        for (Process process : both) {
            assertEquals(0, process.waitFor(), "each save was made");
        }
        SavedStateFile state = open();
        assertEquals(300, state.restored("search").orElseThrow().limit());
        assertEquals(300, state.restored("orders").orElseThrow().limit());
    }

    @Test
    void whatAnotherSavedSinceIsCarriedOn() {
        SavedStateFile first = including("search", 3);
        SavedStateFile second = including("orders", 4);
        assertTrue(first.save());
        assertTrue(second.save());
        assertEquals(3, open().restored("search").orElseThrow().limit());
        assertTrue(first.save());
        assertEquals(4, open().restored("orders").orElseThrow().limit());
    }

    @Test
    void aMissingDirectoryIsReportedAtTheStart() {
        file = dir.resolve("missing/state");
        SavedStateFile state = open();
        assertEquals(Event.UNREADABLE, last().event());
        assertTrue(last().detail().contains("missing"), last().detail());
        assertFalse(state.save());
        assertEquals(Event.UNSAVED, last().event());
    }

    @Test
    void withoutAListenerTroubleIsLoggedOnce() {
        List<String> logged = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                logged.add(entry.getLevel() + " " + entry.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(SavedStateFile.class.getName());
        logger.setUseParentHandlers(false);
        logger.addHandler(handler);
        try {
            SavedStateFile.at(file).open().save();
            assertEquals(List.of(), logged, "a first start is no trouble");
            SavedStateFile state =
                    SavedStateFile.at(dir.resolve("missing/state")).open();
            assertEquals(1, logged.size());
            assertTrue(logged.get(0).startsWith("WARNING") && logged.get(0).contains("missing"), logged.get(0));
            state.save();
            state.save();
            assertEquals(2, logged.size(), "once for reading, once for writing");
        } finally {
            logger.removeHandler(handler);
            logger.setUseParentHandlers(true);
        }
    }

    @Test
    void aFileWithoutANameIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> SavedStateFile.at(Path.of("/")));
    }

    @Test
    void theLockIsARegularFileOfItsOwn() {
        assertTrue(including("search", 7).save());
        assertTrue(Files.isRegularFile(dir.resolve("state.lock"), LinkOption.NOFOLLOW_LINKS));
    }
}
