package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.source.InstanceStatus;
import dev.weir.named.status.ConfigEvent.Changed;
import dev.weir.named.status.ConfigEvent.Refused;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is kept for a restart, and what an instance says of it. */
class RegistryLastGoodTest extends RegistryFixture {
    @Test
    void anExecutorThatRefusesCostsNoReport(@TempDir Path directory) {
        AtomicBoolean refusing = new AtomicBoolean();
        AtomicInteger calls = new AtomicInteger();
        source.write("limits: { a: { concurrency: 1 } }");
        LimiterRegistry registry = builder()
                .lastGood(directory.resolve("last-good"))
                .executor(work -> {
                    if (refusing.get() && calls.getAndIncrement() > 0) {
                        throw new RejectedExecutionException("full");
                    }
                    work.run();
                })
                .build();
        time.advance(Duration.ofSeconds(5));
        refusing.set(true);
        source.write("limits: { a: { concurrency: 2 } }");
        assertEquals(2, granted(registry.limiter("a")));
        assertTrue(events.stream().filter(Changed.class::isInstance).count() == 2, events::toString);
        refusing.set(false);
        write("limits: { a: { concurrency: 3 } }");
        registry.close();
        source.goAway();
        LimiterRegistry again =
                builder().lastGood(directory.resolve("last-good")).build();
        assertEquals(3, granted(again.limiter("a")));
    }

    @Test
    void anOrphanIsOneAfterARestart(@TempDir Path directory) {
        Path file = directory.resolve("last-good");
        source.write("document: { version: 1 }\nlimits: { a: { concurrency: 3 }, b: { concurrency: 2 } }");
        LimiterRegistry before = builder().lastGood(file).build();
        write("document: { version: 2 }\nlimits: { b: { concurrency: 4 } }");
        time.advance(Duration.ofSeconds(5));
        before.close();
        LimiterRegistry after = builder().lastGood(file).build();
        assertEquals(3, granted(after.limiter("a")));
        assertEquals(List.of("a"), after.status().orphans());
        assertEquals(4, granted(after.limiter("b")));
        write("document: { version: 3 }\nremoved: [a]\nlimits: { b: { concurrency: 4 } }");
        time.advance(Duration.ofSeconds(5));
        after.close();
        source.goAway();
        assertEquals(List.of("b"), builder().lastGood(file).build().names().names());
    }

    /** A restart does not make a whole document of half of one. */
    @Test
    void C2_theRestOfAFileFollowsTheHalfThatWasKept(@TempDir Path directory) {
        Path file = directory.resolve("last-good");
        String half = "document: { version: 3 }\nlimits:\n  a: { concurrency: 3 }\n";
        source.put(half(half));
        builder().lastGood(file).build().close();
        source.put(half(half + "  b: { concurrency: 4 }\n"));
        assertEquals(4, granted(builder().lastGood(file).build().limiter("b")));
    }

    @Test
    void anInstanceSaysWhatItRunsAlsoAfterARestartAndAfterABadDocumentWasTakenBack(@TempDir Path directory) {
        Path file = directory.resolve("last-good");
        String good = "document: { version: 3 }\nlimits: { a: { concurrency: 3 } }";
        source.write(good);
        LimiterRegistry before = builder().lastGood(file).build();
        write("limits: rubbish");
        write(good);
        assertEquals(
                InstanceStatus.Result.ACCEPTED,
                source.acknowledged.get(source.acknowledged.size() - 1).result());
        before.close();
        source.acknowledged.clear();
        builder().lastGood(file).build();
        time.advance(Duration.ofSeconds(2));
        assertEquals(1, source.acknowledged.size());
        assertEquals("3", source.acknowledged.get(0).running());
    }

    @Test
    void aStormOfDocumentsIsKeptOnceASecond(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("last-good");
        int written = 0;
        source.write("limits: { a: { concurrency: 1 } }");
        LimiterRegistry registry = builder().lastGood(file).build();
        for (int i = 2; i <= 1000; i++) {
            source.write("limits: { a: { concurrency: " + i + " } }");
            time.advance(Duration.ofMillis(10));
            written += Files.deleteIfExists(file) ? 1 : 0;
        }
        assertTrue(written >= 9 && written <= 12, "written " + written);
        time.advance(Duration.ofSeconds(2));
        assertTrue(Files.readString(file).contains("1000"));
        registry.close();
    }

    @Test
    void aLastGoodThatCannotBeKeptIsReportedOnceAndTriedAgain(@TempDir Path directory) throws Exception {
        Path missing = directory.resolve("missing");
        source.write("limits: { a: { concurrency: 1 } }");
        LimiterRegistry registry =
                builder().lastGood(missing.resolve("last-good")).build();
        for (int i = 2; i < 20; i++) {
            write("limits: { a: { concurrency: " + i + " } }");
            assertEquals(i, granted(registry.limiter("a")));
        }
        assertEquals(1, events.stream().filter(Refused.class::isInstance).count(), events::toString);
        Files.createDirectory(missing);
        time.advance(Duration.ofSeconds(2));
        assertTrue(Files.readString(missing.resolve("last-good")).contains("19"));
        registry.close();
    }

    @Test
    void onlyItsOwnerMayReadTheLastGood(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("last-good");
        Files.writeString(file, "of another program");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        source.write("limits: {}\nvalues: { password: hunter2 }");
        LimiterRegistry registry = builder().lastGood(file).build();
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        registry.close();
    }

    @Test
    void theFirstLineOfTheLastGoodNamesItsSource(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("last-good");
        source.write("limits: { a: { concurrency: 1 } }");
        builder().lastGood(file).build().close();
        assertEquals("weir-last-good-of memory", Files.readAllLines(file).get(0));
    }

    @Test
    void theLastGoodOfAnotherSourceIsReportedAndNotUsed(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("last-good");
        source.write("limits: { a: { concurrency: 1 } }");
        builder().lastGood(file).build().close();
        Files.writeString(file, Files.readString(file).replaceFirst("memory", "etcd:shop"));
        source.goAway();
        LimiterRegistry registry = builder().lastGood(file).build();
        assertEquals(List.of(), registry.names().names());
        Refused report = events.stream()
                .filter(Refused.class::isInstance)
                .map(Refused.class::cast)
                .findFirst()
                .orElseThrow();
        assertTrue(report.problems().get(0).rule().endsWith("is of another source: \"etcd:shop\""), report::toString);
        source.comeBack();
        write("limits: { a: { concurrency: 2 } }");
        assertEquals("weir-last-good-of memory", Files.readAllLines(file).get(0));
    }
}
