package dev.weir.samples;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.config.LimiterRegistry;
import dev.weir.config.source.FileSource;
import dev.weir.console.Console;
import dev.weir.micrometer.RegistryMeters;
import dev.weir.named.NamedLimiter;
import dev.weir.spi.Registration;
import dev.weir.testkit.VirtualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of a first day: its code is regions of this class, and what it shows is what that prints here. */
class FirstDayTest {
    private static final Path PAGE = Path.of("../docs/start/first-day.md");
    private static final int MILLIS = 30_000;
    private static final int LAST_SECONDS = 10;
    private static final long SECOND = 1_000_000_000;

    private record Call(long since, Permit permit) {}

    private final List<String> printed = new ArrayList<>();

    @TempDir
    Path folder;

    private void print(Object answer) {
        printed.add(answer.toString()
                .replaceAll("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z", "...")
                .replace(folder + "/", "")
                .strip());
    }

    /** The blocks of the page in one language. */
    private static List<String> blocks(String language) throws IOException {
        return Pattern.compile("```" + language + "\n(.*?)\n```", Pattern.DOTALL)
                .matcher(Files.readString(PAGE))
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
    }

    private Path write(String name, String document) throws IOException {
        Path next = Files.writeString(folder.resolve("next"), document + "\n");
        return Files.move(next, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    // #region sell
    static String sell(NamedLimiter checkout, Callable<String> work) throws Exception {
        return checkout.call(work, refused -> "busy: " + refused.reason());
    }
    // #endregion sell

    @Test
    void eachStepPrintsWhatThePageShows() throws Exception {
        Path file = Files.copy(Path.of("src/test/resources/first-day.yaml"), folder.resolve("limits.yaml"));
        // #region start
        LimiterRegistry limits = LimiterRegistry.of(FileSource.of(file)); // limits.yaml
        NamedLimiter checkout = limits.limiter("checkout");
        // #endregion start
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (limits) {
            assertEquals("sold", sell(checkout, () -> "sold"));
            print(sell(checkout, () -> sell(checkout, () -> sell(checkout, () -> "sold"))));

            write("limits.yaml", blocks("yaml").get(1));
            await().until(() -> limits.status().version().equals("2"));
            // #region explain
            print(limits.names().explain("checkout"));
            // #endregion explain

            // #region watch
            RegistryMeters meters = RegistryMeters.of(limits);
            meters.bindTo(registry); // a MeterRegistry of Micrometer
            Console console = Console.start(limits);
            System.out.println(console.uri() + ", token in " + console.tokenFile());
            // #endregion watch
            try (meters;
                    console) {
                assertEquals(
                        3,
                        registry.get("weir.limit")
                                .tag("name", "checkout")
                                .gauge()
                                .value());
                assertTrue(Files.exists(console.tokenFile()));
            }

            print("fixed: " + servedInTime(write("fixed.yaml", "limits: { checkout: { concurrency: 1000 } }"))
                    + " a second\nadaptive: "
                    + servedInTime(write("adaptive.yaml", blocks("yaml").get(2)))
                    + " a second");

            // #region override
            Registration change =
                    limits.override("checkout", "concurrency: 1", Duration.ofMinutes(10), "ann", "incident 7");
            // #endregion override
            print(limits.names()
                    .explain("checkout")
                    .toString()
                    .lines()
                    .findFirst()
                    .orElseThrow());
            change.close();
            assertEquals(3, checkout.snapshot().limit());
        }
        assertEquals(String.join("\n\n", printed), String.join("\n\n", blocks("text")));
    }

    /**
     * How many requests a second are served within a second of 300 that come to a server which can do 100: four at once, each in
     * 40 ms, and one after the other.
     */
    private static long servedInTime(Path document) {
        VirtualTime time = new VirtualTime();
        Deque<Call> inside = new ArrayDeque<>();
        long inTime = 0;
        double done = 0;
        try (LimiterRegistry limits = LimiterRegistry.builder()
                .source(FileSource.of(document))
                .ticker(time)
                .clock(() -> Instant.ofEpochSecond(0, time.read()))
                .alarm(time)
                .executor(Runnable::run)
                .build()) {
            NamedLimiter checkout = limits.limiter("checkout");
            for (int milli = 1; milli <= MILLIS; milli++) {
                for (int arriving = milli % 10 == 0 ? 3 : 0; arriving > 0; arriving--) {
                    if (checkout.tryAcquire() instanceof Permit permit) {
                        inside.addLast(new Call(time.read(), permit));
                    }
                }
                time.advance(Duration.ofMillis(1));
                done += Math.min(inside.size(), 4) / 40.0;
                while (done >= 1 && !inside.isEmpty()) {
                    done--;
                    Call call = inside.removeFirst();
                    call.permit.release(Outcome.SUCCESS);
                    if (milli > MILLIS - LAST_SECONDS * 1000 && time.read() - call.since <= SECOND) {
                        inTime++;
                    }
                }
            }
        }
        return inTime / LAST_SECONDS;
    }
}
