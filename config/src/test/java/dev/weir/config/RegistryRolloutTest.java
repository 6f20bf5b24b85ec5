package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Semaphore;
import dev.weir.config.follow.InstanceName;
import dev.weir.config.source.InstanceStatus;
import dev.weir.config.source.InstanceStatus.Result;
import dev.weir.named.status.ConfigStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What each instance says that it runs, which instances a staged document reaches, and what a start says of its first document. */
class RegistryRolloutTest extends RegistryFixture {
    private static final Instant NOON = Instant.parse("2026-11-23T12:00:00Z");
    private static final String STAGED = "document: { version: 2, percent: 10 }\nlimits: { a: { concurrency: 20 } }";

    private final InstantSource wall = () -> NOON.plusNanos(time.read());

    private InstanceStatus row() {
        return source.acknowledged.get(source.acknowledged.size() - 1);
    }

    @Test
    void aRowTellsWhatIsInForceAndWhatWasOffered() throws Exception {
        source.write("document: { version: 1, author: ann, reason: sale }\nlimits: { a: { concurrency: 1 } }");
        LimiterRegistry registry = builder().clock(wall).build();
        String started = wall.instant().toString();
        time.advance(Duration.ofSeconds(5));
        write("document: { version: 2, percent: 0 }\nlimits: { a: { concurrency: 2 } }");
        assertEquals(
                "InstanceStatus[instance=one, running=1, offered=2, result=HELD, problems=[memory: the document is held: "
                        + "it is for 0.0 % of the instances so far], since=" + started + "]",
                row().toString());
        write("limits: [");
        assertEquals("1 r3 REJECTED", row().running() + " " + row().offered() + " " + row().result());
        write("document: { version: 1 }\nlimits: { a: { concurrency: 2 } }");
        assertEquals("1 1 REJECTED", row().running() + " " + row().offered() + " " + row().result());
        write("document: { version: 3 }\nlimits: { a: { concurrency: 3 }, b: { concurrency: 0 } }");
        assertEquals("3 3 ACCEPTED", row().running() + " " + row().offered() + " " + row().result());
        assertEquals(1, row().problems().size());
        assertTrue(row().since().isAfter(NOON.plusSeconds(5)));
        assertEquals(row(), registry.rollout().get(registry.rollout().size() - 1));
    }

    /** The event was told; the row tells what is there now. */
    @Test
    void aRowFollowsADocumentThatComesBackAfterItWasReported() {
        String good = "document: { version: 1 }\nlimits: { a: { concurrency: 1 } }";
        registry(good);
        for (int i = 0; i < 3; i++) {
            write("limits: [");
            assertEquals(Result.REJECTED, row().result());
            write(good);
            assertEquals(Result.ACCEPTED, row().result());
            assertEquals("1", row().offered());
        }
        assertEquals(2, events.size());
    }

    @Test
    void aRowTellsTwentyOfManyProblems() {
        registry("limits: {}");
        write("limits: {"
                + IntStream.range(0, 999).mapToObj(i -> "a" + i + ": {}").collect(Collectors.joining(", ")) + "}");
        assertEquals(20, row().problems().size());
        assertEquals(999, changed().problems().size());
    }

    @Test
    void anInstanceThatStartsDuringAStageFollowsTheStage() {
        int reached = 0;
        source.write(STAGED);
        for (int i = 0; i < 400; i++) {
            LimiterRegistry registry = builder().instance("shop-" + i).build();
            boolean isMine = new InstanceName("shop-" + i, true).place("") < 10;
            assertEquals(isMine ? Result.ACCEPTED : Result.HELD, row().result());
            assertEquals(isMine ? "2" : "", row().running());
            assertEquals(isMine ? 20 : 7, granted(registry.limiter("a", new Semaphore(7))));
            reached += isMine ? 1 : 0;
            registry.close();
        }
        assertTrue(reached > 20 && reached < 60, "reached " + reached);
    }

    @Test
    void anInstanceThatStartsDuringAStageGoesOnWithItsLastGood(@TempDir Path directory) {
        Path file = directory.resolve("last-good");
        source.write("document: { version: 1 }\nlimits: { a: { concurrency: 1 } }");
        builder().lastGood(file).build().close();
        source.write(STAGED.replace("10", "0"));
        LimiterRegistry registry = builder().lastGood(file).build();
        assertEquals(1, granted(registry.limiter("a")));
        assertEquals("1 2 HELD", row().running() + " " + row().offered() + " " + row().result());
    }

    @Test
    void anInstanceWithinAStageStaysThereAlsoIfItsNameDoesNotSurvive(@TempDir Path directory) {
        Path file = directory.resolve("last-good");
        source.write(STAGED.replace("10", "99.999"));
        LimiterRegistry before = builder().lastGood(file).build();
        assertEquals(20, granted(before.limiter("a")));
        before.close();
        for (int i = 0; i < 100; i++) {
            LimiterRegistry registry =
                    builder().instance("other-" + i).lastGood(file).build();
            assertEquals(20, granted(registry.limiter("a")));
            registry.close();
        }
    }

    @Test
    void aStageWithoutANameThatSurvivesRestartsIsAProblem() {
        String problem = "memory: the document is for a part of the instances, and this one has no name that survives "
                + "restarts; give it one by LimiterRegistry.Builder.instance";
        source.write("document: { version: 1 }\nlimits: { a: { concurrency: 1, rollout: { percent: 100, to: {} } } }");
        LimiterRegistry registry = unnamedBuilder().build();
        assertEquals(List.of(), registry.status().problems());
        write("document: { version: 2 }\nlimits: { a: { concurrency: 1, rollout: { percent: 50, to: {} } } }");
        assertEquals(problem, registry.status().problems().get(0).toString());
        assertEquals(List.of(problem), row().problems());
        write("document: { version: 3, percent: 0.0000001 }\nlimits: { a: { concurrency: 1 } }");
        assertTrue(refused().held());
        assertEquals(problem, refused().problems().get(1).toString());
        write("document: { version: 4, percent: 0 }\nlimits: { a: { concurrency: 1 } }");
        assertEquals(1, refused().problems().size());
        write("document: { version: 5 }\nlimits: { a: { concurrency: 1 } }");
        assertEquals(List.of(), registry.status().problems());
    }

    @Test
    void instancesWithoutANameAreListedApart() {
        source.write("limits: {}");
        Set<String> names = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            unnamedBuilder().build().close();
            names.add(row().instance());
        }
        assertEquals(20, names.size());
    }

    @Test
    void theStatusTellsWhoWroteTheDocumentInForceWhenAndWhatIsWrong() {
        assertEquals(Instant.EPOCH, builder().build().status().since());
        source.write("document: { version: 1, author: ann, reason: sale }\n"
                + "limits: { a: { concurrency: 1 }, b: { concurrency: 0 } }");
        LimiterRegistry registry = builder().clock(wall).build();
        time.advance(Duration.ofSeconds(5));
        ConfigStatus status = registry.status();
        assertEquals("ann", status.author());
        assertEquals("sale", status.reason());
        assertEquals(Duration.ofSeconds(5), status.age());
        assertEquals(wall.instant(), status.since().plusSeconds(5));
        assertEquals("b", status.problems().get(0).limiter());
        write("document: { version: 2, author: bob }\nlimits: [");
        assertEquals(status.problems(), registry.status().problems());
        write("document: { version: 2, author: bob }\nlimits: { a: { concurrency: 1 }, b: { concurrency: 1 } }");
        assertEquals("bob", registry.status().author());
        assertEquals(List.of(), registry.status().problems());
    }

    @Test
    void aRegistryMayRefuseToStartWithProblems() {
        String limits = IntStream.range(0, 50).mapToObj(i -> "a" + i + ": {}").collect(Collectors.joining(", "));
        for (String bad : List.of("limits: { " + limits + " }", "limits: [", "")) {
            source.write(bad);
            LimiterRegistry.Builder builder = builder().failOnProblems();
            String message =
                    assertThrows(IllegalStateException.class, builder::build).getMessage();
            assertTrue(message.startsWith("the first document of \"memory\" has problems:\nmemory:"), message);
            assertEquals(bad.contains("a49") ? 51 : 2, message.lines().count(), message);
            assertEquals(0, time.pendingAlarms());
        }
        source.goAway();
        LimiterRegistry.Builder builder = builder().failOnProblems();
        String message =
                assertThrows(IllegalStateException.class, builder::build).getMessage();
        assertEquals("no document could be read from \"memory\": java.io.IOException: the server is away", message);
        assertEquals(
                List.of(),
                LimiterRegistry.builder().failOnProblems().build().names().names(),
                "no source, no document");
        source.comeBack();
        source.write("limits: { a: { concurrency: 1 } }");
        assertEquals(1, granted(builder().failOnProblems().build().limiter("a")));
        source.write("document: { percent: 0 }\nlimits: { a: { concurrency: 2 } }");
        assertEquals(List.of(), builder().failOnProblems().build().names().names());
    }
}
