package dev.weir.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.queue.Overload.Row;
import dev.weir.queue.discipline.AdaptiveLifo;
import dev.weir.queue.discipline.CoDel;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.queue.discipline.EarliestDeadline;
import dev.weir.queue.discipline.Fifo;
import dev.weir.queue.discipline.Lifo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The disciplines compared by what is left of a server's capacity at twice the load it can bear. The golden report shows a
 * change of a discipline as a change of outcomes; {@code -Dweir.rewrite=true} writes it anew.
 */
@Tag("golden")
class OverloadTest {
    private static final Path REPORT = Path.of("src/test/resources/overload.md");
    private static final Duration TARGET = Duration.ofMillis(5);
    private static final Duration INTERVAL = Duration.ofMillis(100);
    private static final DisciplineSpec ADAPTIVE = new AdaptiveLifo(INTERVAL);
    private static final DisciplineSpec CODEL_ADAPTIVE = new CoDel(TARGET, INTERVAL, ADAPTIVE);

    private static final String HEADER = String.join(
            "\n",
            "# Twice the load a server can bear, for 60 s",
            "",
            "100 at once, each for 100 ms: 1,000 requests a second. 2,000 a second come, at random. A caller is gone 1 s",
            "after the request, whether it says so or not: work that ends later is done in vain. The timeout is what the queue",
            "is told: for ever, all of that second, or what the work leaves of it.",
            "",
            "| discipline | timeout | goodput, % of capacity | in vain, % | p50 wait of the good, ms | p99, ms | shed | timed"
                    + " out | most waiting |",
            "|---|---|---|---|---|---|---|---|---|",
            "");

    @Test
    void theReportIsAsItWas() throws IOException {
        List<String> rows = new ArrayList<>();
        rows.add(row("FIFO", new Fifo(), Overload.EVER));
        rows.add(row("FIFO", new Fifo(), Overload.CALLER_GONE));
        for (Duration timeout : List.of(Overload.LEFT_BY_THE_WORK, Overload.EVER)) {
            if (timeout.equals(Overload.LEFT_BY_THE_WORK)) {
                rows.add(row("FIFO", new Fifo(), timeout));
                rows.add(row("FIFO, predictive", QueueSpec.of(100_000).refusingDoomed(), timeout));
                rows.add(row("EarliestDeadline", new EarliestDeadline(), timeout));
            }
            rows.add(row("LIFO", new Lifo(), timeout));
            rows.add(row("AdaptiveLifo", ADAPTIVE, timeout));
            rows.add(row("CoDel + FIFO", new CoDel(TARGET, INTERVAL), timeout));
            rows.add(row("CoDel + AdaptiveLifo", CODEL_ADAPTIVE, timeout));
        }
        String report = HEADER + String.join("\n", rows) + "\n";
        if (Boolean.getBoolean("weir.rewrite")) {
            Files.writeString(REPORT, report);
        }
        assertEquals(Files.readString(REPORT).replace("\r\n", "\n"), report);
    }

    @Test
    void aQueueWithoutDeadlinesServesCallersThatHaveGone() {
        assertTrue(Overload.run(QueueSpec.of(100_000), Overload.EVER).goodput() < 10);
    }

    @Test
    void sheddingByTheTimeWaitedKeepsTheServerUseful() {
        assertTrue(Overload.run(QueueSpec.of(100_000).by(CODEL_ADAPTIVE), Overload.EVER)
                        .goodput()
                >= 90);
        assertTrue(Overload.run(QueueSpec.of(100_000).by(CODEL_ADAPTIVE), Overload.LEFT_BY_THE_WORK)
                        .goodput()
                >= 90);
    }

    private static String row(String name, DisciplineSpec discipline, Duration timeout) {
        return row(name, QueueSpec.of(100_000).by(discipline), timeout);
    }

    private static String row(String name, QueueSpec spec, Duration timeout) {
        Row row = Overload.run(spec, timeout);
        String waits = timeout.equals(Overload.EVER) ? "for ever" : timeout.toMillis() + " ms";
        return String.format(
                "| %s | %s | %d | %d | %d | %d | %d | %d | %d |",
                name,
                waits,
                row.goodput(),
                row.inVain(),
                row.wait(50),
                row.wait(99),
                row.end().shed(),
                row.end().timedOut(),
                row.maxWaiting());
    }
}
