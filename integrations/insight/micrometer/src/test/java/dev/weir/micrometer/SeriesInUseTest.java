package dev.weir.micrometer;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.Meter;
import io.micrometer.prometheusmetrics.PrometheusNamingConvention;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The dashboard and the alerts read series that a scrape has, and leave out no meter. */
class SeriesInUseTest {
    private static final Pattern SERIES = Pattern.compile("\\b(weir_\\w+)(?:[{]([^}]*)[}])?");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=~?\"([^\"$]*)\"");
    private static final Pattern ROW = Pattern.compile("[|] (`weir[.].*`) [|] ([a-z0-9 ]+) [|] .*");

    /** What is behind the name of a meter. */
    private static final String SUFFIX = "(_total|_count|_sum|_bucket|_max|_info)?";

    /** The meters that neither the dashboard nor an alert shows. */
    private static final Set<String> UNUSED = Set.of();

    @TempDir
    Path folder;

    private static Map<String, String> queries() throws IOException {
        Map<String, String> queries = new TreeMap<>(Dashboard.alerts());
        Dashboard dashboard = new Dashboard();
        queries.putAll(dashboard.queries());
        dashboard.variables().forEach((name, query) -> queries.put("variable " + name, query));
        return queries;
    }

    private static boolean has(List<String> scraped, String series, String label, String value) {
        return scraped.stream()
                .filter(line -> line.startsWith(series + "{"))
                .anyMatch(line -> line.contains(label + "=\"" + value + "\""));
    }

    /** The series of a query that are not there, or not with a value of a label that it asks for. */
    private static Set<String> missing(List<String> scraped, String query) {
        Set<String> missing = new TreeSet<>();
        int read = 0;
        for (Matcher found = SERIES.matcher(query); found.find(); read++) {
            String series = found.group(1);
            if (scraped.stream().noneMatch(line -> line.matches(series + "[{ ].*"))) {
                missing.add(series);
            }
            String labels = found.group(2) == null ? "" : found.group(2);
            for (Matcher label = LABEL.matcher(labels); label.find(); ) {
                String name = label.group(1);
                Arrays.stream(label.group(2).split("\\|", -1))
                        .filter(value -> !has(scraped, series, name, value))
                        .forEach(value -> missing.add(series + " " + name + "=" + value));
            }
        }
        assertTrue(read > 0, query);
        return missing;
    }

    @Test
    void eachQueryReadsSeriesThatThereAre() throws Exception {
        Map<String, String> queries = queries();
        try (LimitsUnderLoad load = new LimitsUnderLoad(folder)) {
            await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
                List<String> scraped = load.scrape()
                        .lines()
                        .filter(line -> !line.startsWith("#"))
                        .toList();
                Set<String> missing = new TreeSet<>();
                queries.values().forEach(query -> missing.addAll(missing(scraped, query)));
                assertEquals(Set.of(), missing);
            });
        }
    }

    @Test
    void eachMeterIsShownOrListedAsUnused() throws IOException {
        Set<String> shown = new TreeSet<>();
        queries()
                .values()
                .forEach(query -> SERIES.matcher(query).results().forEach(found -> shown.add(found.group(1))));
        Set<String> unused = new TreeSet<>();
        int meters = 0;
        for (String line : Files.readAllLines(Path.of("../../../docs/reference/meters.md"))) {
            Matcher row = ROW.matcher(line);
            if (!row.matches()) {
                continue;
            }
            String unit = Set.of("1 or 0", "none").contains(row.group(2)) ? null : row.group(2);
            for (String meter : row.group(1).replace("`", "").split(", ")) {
                String name = new PrometheusNamingConvention().name(meter, Meter.Type.GAUGE, unit);
                meters++;
                if (shown.stream().noneMatch(series -> series.matches(name + SUFFIX))) {
                    unused.add(meter);
                }
            }
        }
        assertTrue(meters > 40, "meters in the reference: " + meters);
        assertEquals(UNUSED, unused);
    }
}
