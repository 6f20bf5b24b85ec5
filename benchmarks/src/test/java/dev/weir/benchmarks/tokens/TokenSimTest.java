package dev.weir.benchmarks.tokens;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.benchmarks.tokens.Provider.Quota;
import dev.weir.benchmarks.tokens.Scenario.Call;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenSimTest {
    private static final Path PAGE = Path.of("../docs/proof/tokens.md");
    private static final String MARK = "<!-- table: tokens -->\n";

    /**
     * The tables are those of the page, and the bounds hold in each scenario with each seed. {@code -Dweir.rewrite=true} writes the
     * tables into the page anew.
     */
    @Test
    void theTablesAreThoseOfThePageAndWithinTheBounds() throws IOException {
        Report report = new Report();
        String page = Files.readString(PAGE).replace("\r\n", "\n");
        String[] parts = page.split(MARK, -1);
        assertEquals(3, parts.length, "one mark before the tables and one after them");
        if (Boolean.getBoolean("weir.rewrite")) {
            Files.writeString(PAGE, parts[0] + MARK + report.markdown() + MARK + parts[2]);
        } else {
            assertEquals(parts[1], report.markdown());
        }
        assertEquals(Scenario.ALL.size(), report.scenarios().size());
        report.scenarios().forEach((scenario, row) -> {
            assertTrue(row.leastUse() >= 0.95, () -> scenario + ": " + row);
            assertTrue(row.mostRefused() <= 15, () -> scenario + ": " + row);
            assertTrue(row.unfair() <= 0.05, () -> scenario + ": " + row);
        });
    }

    @Test
    void aSeedDecidesEverything() {
        Scenario short1 = new Scenario("short", 1.5, 3, Quota.BUCKET, false, 1);
        Run.Result one = Run.of(short1, Client.SUSPENDED, 7);
        Run.Result other = Run.of(short1, Client.SUSPENDED, 7);
        assertEquals(one.use(), other.use());
        assertEquals(one.refused(), other.refused());
        assertEquals(List.of(one.servedOf()[3]), List.of(other.servedOf()[3]));
        assertTrue(one.use() != Run.of(short1, Client.SUSPENDED, 8).use());
    }

    /* 600 a minute: 10 a second. */
    @Test
    void aProviderWithABucketByHand() {
        Provider provider = new Provider(Quota.BUCKET, 600);
        assertEquals(0, provider.arrives(0));
        provider.counts(599, 0);
        assertEquals(0, provider.arrives(0));
        provider.counts(26, 0);
        assertEquals(3, provider.arrives(0), "25 below zero");
        assertEquals(1, provider.arrives(2_499_000_000L));
        assertEquals(0, provider.arrives(2_501_000_000L));
        assertEquals(400, provider.refusedOfThousand(), "2 of 5");
        assertEquals(625.0 / 1200, provider.use(60_000_000_000L), 1e-9);
    }

    @Test
    void aProviderThatCountsByTheMinuteByHand() {
        Provider provider = new Provider(Quota.MINUTES, 600);
        provider.counts(650, 10_000_000_000L);
        assertEquals(50, provider.arrives(10_000_000_000L));
        assertEquals(1, provider.arrives(59_999_999_999L));
        assertEquals(0, provider.arrives(60_000_000_000L));
        provider.counts(599, 60_000_000_000L);
        assertEquals(0, provider.arrives(60_000_000_000L), "nothing is owed for the minute before");
    }

    /* As many tokens as it says, within 5 %, and as many of each tenant. */
    @ParameterizedTest
    @ValueSource(ints = {1, 10})
    void aScenarioDemandsWhatItSays(int longer) {
        Scenario scenario = new Scenario("demand", 2, 600, Quota.BUCKET, false, longer);
        double all = 2.0 * 600 * Scenario.PER_MINUTE;
        List<Call> calls = scenario.calls(1);
        assertEquals(all, calls.stream().mapToDouble(Call::cost).sum(), all * 0.05);
        double first = calls.stream()
                .filter(call -> call.tenant() == 0)
                .mapToDouble(Call::cost)
                .sum();
        assertEquals(all / Scenario.TENANTS, first, first * 0.05);
        assertTrue(calls.stream().allMatch(call -> call.cost() >= 1 && call.cost() <= longer * Scenario.MAX_TOKENS));
        long reports =
                calls.stream().filter(call -> call.route().equals("report")).count();
        assertEquals(longer == 1 ? 0 : all / Scenario.TENANTS / longer / Scenario.MEAN, reports, 0.1 * reports);
    }

    @Test
    void anArgumentIsRefused() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream to = new PrintStream(err, true, StandardCharsets.UTF_8);
        assertEquals(2, TokenSim.run(to, to, "--seed"));
        assertEquals(
                "sim tokens takes no options, not: --seed\n",
                err.toString(StandardCharsets.UTF_8).replace("\r\n", "\n"));
    }
}
