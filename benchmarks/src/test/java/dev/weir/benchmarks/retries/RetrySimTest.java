package dev.weir.benchmarks.retries;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.benchmarks.retries.Storm.Client;
import dev.weir.benchmarks.retries.Storm.Result;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The retry storm; {@code -Dweir.rewrite=true} writes the table of the page again. */
class RetrySimTest {
    private static final Path PAGE = Path.of("../docs/guides/retries.md");
    private static final String TABLE = "<!-- table: retries -->\n";
    private static final int MORE_SEEDS = 6;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void withBudgetsTheLoadIsAtMostAFifthMoreAndTheServiceIsBackInFiveSeconds(boolean hangs) {
        LongStream.rangeClosed(1, MORE_SEEDS).forEach(seed -> {
            long once = Storm.of(Client.ONCE, hangs, seed).calls();
            for (Client client : new Client[] {Client.BUDGET, Client.SHORT}) {
                Result result = Storm.of(client, hangs, seed);
                String what = client.name() + ", seed " + seed + ": " + result;
                assertTrue(result.calls() <= 1.2 * once, what);
                assertTrue(result.back() <= 5, what);
                assertTrue(result.normal() >= 0.995, what);
            }
        });
    }

    /** The twin without budgets: it must not pass. */
    @ParameterizedTest
    @CsvSource({"false, 30", "true, 10"})
    void brokenTwin_withoutBudgetsTheServiceIsNotBack(boolean hangs, int times) {
        Result once = Storm.of(Client.ONCE, hangs, 1);
        Result storm = Storm.of(Client.UNLIMITED, hangs, 1);
        assertTrue(storm.calls() >= times * once.calls(), storm::toString);
        assertEquals(Storm.AFTER, storm.back());
        assertEquals(0.98, once.normal(), 0.01); // what retries are for
        assertTrue(storm.normal() >= 0.995, storm::toString);
    }

    @Test
    void theSameSeedGivesTheSame() {
        Map<Result, Long> results = new ConcurrentHashMap<>();
        LongStream.of(7, 7).parallel().forEach(seed -> results.put(Storm.of(Client.BUDGET, false, seed), seed));
        assertEquals(1, results.size(), results::toString);
    }

    @Test
    void thePageHasTheTableAsItIs() throws IOException {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        RetrySim.print(new PrintStream(printed, true, StandardCharsets.UTF_8));
        String page = Files.readString(PAGE);
        int from = page.indexOf(TABLE) + TABLE.length();
        int to = page.indexOf("\n\n", from) + 1;
        String current = page.substring(0, from) + printed.toString(StandardCharsets.UTF_8) + page.substring(to);
        if (Boolean.getBoolean("weir.rewrite")) {
            Files.writeString(PAGE, current);
        } else {
            assertEquals(current, page);
        }
    }
}
