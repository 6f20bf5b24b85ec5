package dev.weir.config;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.source.FileSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** A registry before its first document, and while one is applied. */
class RegistryStartTest extends RegistryFixture {
    private static final Duration FIVE = Duration.ofSeconds(5);

    private LimiterRegistry.Builder idle() {
        return builder().executor(task -> {});
    }

    @Test
    void aFileIsReadByWhoBuildsTheRegistry(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("limits.yaml"), "limits:\n  checkout: { concurrency: 2 }\n");
        try (LimiterRegistry registry = idle().source(FileSource.of(file)).build()) {
            assertEquals(2, granted(registry.limiter("checkout")));
        }
    }

    @Test
    void aNameWaitsForTheFirstDocument() {
        source.write("limits: { a: { concurrency: 3 } }\n");
        source.goAway();
        LimiterRegistry registry = builder().startWithin(FIVE).build();
        source.comeBack();
        Thread caller = Thread.currentThread();
        Thread server = new Thread(() -> {
            await().until(() -> caller.getState() == Thread.State.TIMED_WAITING);
            time.advance(Duration.ofSeconds(2));
        });
        server.start();
        assertEquals(3, granted(registry.limiter("a")));
    }

    @Test
    void aNameThatCodeDeclaresDoesNotWait() {
        source.goAway();
        LimiterRegistry registry = builder().startWithin(FIVE).build();
        Thread.currentThread().interrupt();
        assertEquals(4, granted(registry.limiter("a", new Semaphore(4))));
        assertEquals(4, granted(registry.limiter("a")));
        assertTrue(Thread.interrupted(), "the one that waits is interrupted");
    }

    @Test
    void withoutAFirstDocumentEachMethodWithANameSaysWhatItWaitedFor() {
        source.goAway();
        LimiterRegistry registry = builder().startWithin(FIVE).build();
        time.advance(FIVE);
        List<Executable> calls = List.of(
                () -> registry.limiter("checkout"),
                () -> registry.names().limiter("checkout", "search"),
                () -> registry.names().executor("checkout"),
                () -> registry.names().executor("checkout", Runnable::run),
                () -> registry.names().explain("checkout"),
                () -> registry.override("checkout", "concurrency: 5", FIVE, "me", "test"));
        for (Executable call : calls) {
            assertEquals(
                    "the first document has not been read in 5 s: memory, java.io.IOException: the server is away",
                    assertThrows(IllegalStateException.class, call).getMessage());
        }
    }

    @Test
    void aSourceThatHasNotAnsweredIsNamed() {
        LimiterRegistry registry = idle().build();
        assertEquals(
                "the first document has not been read in 0 s: memory, it has not answered",
                assertThrows(IllegalStateException.class, () -> registry.limiter("a"))
                        .getMessage());
    }

    @Test
    void aFirstDocumentThatIsRefusedIsToldByStatusAndByNames() {
        source.write("limits: 3\n");
        LimiterRegistry registry = builder().startWithin(FIVE).build();
        assertEquals(
                List.of("memory:1:9: limits must be a map"),
                registry.status().problems().stream().map(Object::toString).toList());
        assertEquals(
                "name must be in the document or declared by code, was a; no document is in force:\n"
                        + "memory:1:9: limits must be a map",
                assertThrows(IllegalArgumentException.class, () -> registry.limiter("a"))
                        .getMessage());
        write("limits: { a: { concurrency: 3 } }\n");
        assertEquals(List.of(), registry.status().problems());
        assertEquals(3, granted(registry.limiter("a")));
        assertThrows(IllegalArgumentException.class, () -> registry.limiter("b"));
    }

    @Test
    void noNameIsOneOfNone() {
        source.write("limits: {}\n");
        String message = assertThrows(
                        IllegalArgumentException.class, () -> builder().build().limiter("a"))
                .getMessage();
        assertEquals("name must be in the document or declared by code, was a", message);
    }

    @Test
    void theNamesOfADocumentAreThereInOneStep() {
        List<List<String>> seen = new ArrayList<>();
        Map<String, Boolean> found = new LinkedHashMap<>();
        LimiterRegistry[] registry = new LimiterRegistry[1];
        source.write("limits: { b0: { concurrency: 1 } }\n");
        registry[0] = builder()
                .outcomes(name -> {
                    if (registry[0] != null) {
                        seen.add(registry[0].names().names());
                        for (String other : List.of("a1", "b0", name)) {
                            found.merge(other, has(registry[0], other), Boolean::logicalOr);
                        }
                    }
                    return Outcome::of;
                })
                .build();
        write(IntStream.range(0, 50)
                .mapToObj(i -> "  " + (i == 0 ? "b" : i % 2 == 0 ? "a" : "c") + i + ": { concurrency: 1 }\n")
                .collect(Collectors.joining("", "limits:\n", "")));
        assertEquals(49, seen.size());
        seen.forEach(names -> assertEquals(List.of("b0"), names));
        assertEquals(50, registry[0].names().names().size());
        found.forEach((name, wasThere) -> assertEquals(name.equals("b0"), wasThere, name));
    }

    private static boolean has(LimiterRegistry registry, String name) {
        try {
            return registry.limiter(name) != null;
        } catch (IllegalArgumentException unknown) {
            return false;
        }
    }

    @Test
    void codeSeesTheNameThatItDeclaresWhileADocumentBringsIt() {
        LimiterRegistry[] registry = new LimiterRegistry[1];
        source.write("limits: {}\n");
        List<Integer> granted = new ArrayList<>();
        registry[0] = builder()
                .outcomes(name -> {
                    if (registry[0] != null && name.equals("a")) {
                        granted.add(granted(registry[0].limiter("b", new Semaphore(7))));
                    }
                    return Outcome::of;
                })
                .build();
        write("limits: { a: { concurrency: 1 }, b: { concurrency: 2 } }\n");
        assertEquals(1, granted.size());
        assertEquals(2, granted(registry[0].limiter("b")));
    }
}
