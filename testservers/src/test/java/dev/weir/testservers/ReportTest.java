package dev.weir.testservers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {
    private static final FileTime START = FileTime.fromMillis(1_000_000);

    @TempDir
    Path root;

    private Path reports;

    @BeforeEach
    void create() throws IOException {
        reports = Files.createDirectories(root.resolve("integrations/etcd/target/surefire-reports"));
    }

    private void write(String name, String reason, long millis) throws IOException {
        Path file = reports.resolve(name);
        Files.writeString(file, "<testcase><skipped message=\"" + reason + "\"/></testcase>".repeat(2));
        Files.setLastModifiedTime(file, FileTime.fromMillis(millis));
    }

    private List<String> lines(boolean quiet) {
        return Report.lines(root, START, "redis-server 6.2.11, no etcd", quiet);
    }

    @Test
    void classesThatWereSkippedInThisBuildAreCountedByServer() throws IOException {
        write("TEST-A.xml", "this machine has no etcd", 1_000_000);
        write("TEST-B.xml", "this machine has no etcd", 1_000_001);
        write("TEST-C.xml", "this machine has no redis-server", 1_000_001);
        write("TEST-old.xml", "this machine has no etcd", 999_999);
        write("TEST-other.xml", "too slow here", 1_000_001);
        assertEquals(
                List.of(
                        "Servers for tests: redis-server 6.2.11, no etcd",
                        "1 test class was skipped, because this machine has no redis-server: ./weir test gets it without root, and runs all tests",
                        "2 test classes were skipped, because this machine has no etcd: ./weir test gets it without root, and runs all tests"),
                lines(false));
    }

    @Test
    void aQuietBuildSaysOnlyWhatWasSkipped() throws IOException {
        assertEquals(List.of("Servers for tests: redis-server 6.2.11, no etcd"), lines(false));
        assertEquals(List.of(), lines(true));
        write("TEST-A.xml", "this machine has no etcd", 1_000_000);
        assertEquals(1, lines(true).size());
    }

    @Test
    void aTestIsSkippedOnlyWhereItsServerIsMissingAndNotRequired() {
        assertTrue(NeedsCondition.evaluate(Server.ETCD, false, false).isDisabled());
        assertEquals(
                "this machine has no etcd",
                NeedsCondition.evaluate(Server.ETCD, false, false).getReason().orElseThrow());
        assertFalse(NeedsCondition.evaluate(Server.ETCD, true, false).isDisabled());
        assertFalse(NeedsCondition.evaluate(Server.ETCD, false, true).isDisabled());
    }
}
