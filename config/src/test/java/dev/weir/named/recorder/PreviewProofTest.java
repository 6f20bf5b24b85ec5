package dev.weir.named.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.named.plan.LimitPlan;
import dev.weir.named.recorder.PreviewCases.Load;
import dev.weir.named.recorder.RedrawnTraffic.Placement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Previews compared with what the changed limit does to the same requests, one by one. {@code -Dweir.rewrite=true} writes both
 * tables again: that of the page, and the rows.
 */
@Tag("golden")
class PreviewProofTest {
    private static final Path PAGE = Path.of("../docs/proof/preview.md");
    private static final Path ROWS = Path.of("src/test/resources/previews.md");
    private static final String TABLE = "<!-- table: previews -->\n";
    private static final double TOLERATED = .02;
    private static final int FEWEST_SURE = 80;

    /** One change of one limit: what the preview says, and the truth. */
    private record Case(String load, String change, long requests, long inFact, long truth, Preview preview) {
        double error() {
            return preview.share() - truth / (double) requests;
        }

        boolean isSure() {
            return preview.unsure().isEmpty();
        }

        private String share(long refused) {
            return String.format(Locale.ROOT, "%.3f", refused / (double) requests);
        }

        String row() {
            return String.join(
                    " | ",
                    "| " + load,
                    "`" + change + "`",
                    String.format(Locale.ROOT, "%,d", requests),
                    share(inFact),
                    share(truth),
                    share(preview.wouldRefuse()),
                    share(preview.low()) + " to " + share(preview.high()),
                    String.join("; ", preview.unsure()) + " |\n");
        }
    }

    private static List<Case> cases(Load load) {
        LimitPlan now = load.plan();
        RecordedLoad recorded = LiveLimit.recorded(now, load.trace());
        return load.changes().stream()
                .map(change -> {
                    LimitPlan then = PreviewCases.plan(change, now);
                    return new Case(
                            load.name(),
                            change,
                            load.trace().arrivals().size(),
                            recorded.refusedThen(),
                            LiveLimit.refused(then, load.trace()),
                            Previewer.of(recorded, change, now, then));
                })
                .toList();
    }

    @Test
    void eachOfAHundredPreviewsIsRightWithinTwoPercentOrSaysWhyItMayNotBe() throws IOException {
        List<Case> all = PreviewCases.all().parallelStream()
                .flatMap(load -> cases(load).stream())
                .toList();
        assertEquals(100, all.size());
        List<String> wrong = all.stream()
                .filter(Predicate.not(each -> Math.abs(each.error()) <= TOLERATED || !each.isSure()))
                .map(Case::row)
                .toList();
        assertEquals(List.of(), wrong);
        long sure = all.stream().filter(Case::isSure).count();
        assertTrue(sure >= FEWEST_SURE, () -> "only so many are sure: " + sure);
        theTablesAreOf(all);
    }

    private static void theTablesAreOf(List<Case> all) throws IOException {
        StringBuilder rows = new StringBuilder("""
                | load | change | requests | refused in fact | truth | preview | from, to | unsure |
                |---|---|---|---|---|---|---|---|
                """);
        all.forEach(each -> rows.append(each.row()));
        isTextOf(ROWS, rows.toString());
        String[] parts = text(PAGE).split(TABLE, -1);
        assertEquals(3, parts.length, "one mark before the table and one after it");
        isTextOf(PAGE, parts[0] + TABLE + summary(all) + TABLE + parts[2]);
    }

    private static void isTextOf(Path file, String text) throws IOException {
        if (Boolean.getBoolean("weir.rewrite")) {
            Files.writeString(file, text);
        } else {
            assertEquals(text(file), text);
        }
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file).replace("\r\n", "\n");
    }

    /** One row for each kind of load. */
    private static String summary(List<Case> all) {
        Map<String, List<Case>> kinds = all.stream()
                .collect(Collectors.groupingBy(
                        each -> each.load().replaceAll(" \\d+$", ""), LinkedHashMap::new, Collectors.toList()));
        StringBuilder table = new StringBuilder("""
                | load | previews | sure | largest error of these | of the others |
                |---|---|---|---|---|
                """);
        kinds.forEach((kind, cases) -> table.append(String.join(
                " | ",
                "| " + kind,
                "" + cases.size(),
                "" + cases.stream().filter(Case::isSure).count(),
                largestError(cases, Case::isSure),
                largestError(cases, Predicate.not(Case::isSure)) + " |\n")));
        return table.toString();
    }

    private static String largestError(List<Case> cases, Predicate<Case> which) {
        OptionalDouble largest = cases.stream()
                .filter(which)
                .mapToDouble(each -> Math.abs(each.error()))
                .max();
        return largest.isPresent() ? String.format(Locale.ROOT, "%.3f", largest.getAsDouble()) : "";
    }

    private static double replayed(LimitPlan plan, RecordedLoad recorded) {
        return new Replay(plan, null)
                        .run(new RedrawnTraffic(recorded, Placement.RANDOM, 1))
                        .refused()
                / (double) recorded.requests();
    }

    private static double truth(LimitPlan plan, Trace trace) {
        return LiveLimit.refused(plan, trace) / (double) trace.arrivals().size();
    }

    private static RecordedLoad inSlicesOf100Ms(RecordedLoad fine) {
        int[] arrivals = new int[fine.arrivals().length / 10];
        for (int i = 0; i < fine.arrivals().length; i++) {
            arrivals[i / 10] += fine.arrivals()[i];
        }
        return new RecordedLoad(
                fine.from(),
                10 * fine.sliceNanos(),
                arrivals,
                IntStream.of(fine.holdSlices()).map(slice -> slice / 10).toArray(),
                fine.holdNanos(),
                fine.keys(),
                fine.limits(),
                fine.inFlight(),
                fine.admitted(),
                fine.refused(),
                false);
    }

    @Test
    void brokenTwin_slicesOf100MsLoseBursts() {
        Load load = PreviewCases.bursts(4);
        LimitPlan then = PreviewCases.plan("concurrency: 45", load.plan());
        double truth = truth(then, load.trace());
        RecordedLoad fine = LiveLimit.recorded(load.plan(), load.trace());
        RecordedLoad coarse = inSlicesOf100Ms(fine);
        assertEquals(truth, replayed(then, fine), TOLERATED);
        assertTrue(replayed(then, coarse) < truth - 2 * TOLERATED, () -> "" + replayed(then, coarse) + truth);
    }

    @Test
    void brokenTwin_aTraceOfOneRequestInSixteenIsNoTrace() {
        Load load = PreviewCases.steady(1);
        LimitPlan then = PreviewCases.plan("concurrency: 48", load.plan());
        LimitPlan sixteenth = PreviewCases.plan("concurrency: 3", load.plan());
        Trace thinned = load.trace().thinned(16);
        double truth = truth(then, load.trace());
        double thin = new Replay(sixteenth, null).run(thinned.traffic()).refused()
                / (double) thinned.arrivals().size();
        assertTrue(Math.abs(thin - truth) > 2 * TOLERATED, () -> "" + thin + truth);
    }

    @Test
    void aReplayOfTheWholeTraceRefusesWhatTheLimitRefuses() {
        for (Load load : List.of(PreviewCases.bursts(1), PreviewCases.queue(1), PreviewCases.hotKey(1))) {
            for (String change : load.changes()) {
                LimitPlan then = PreviewCases.plan(change, load.plan());
                assertEquals(
                        LiveLimit.refused(then, load.trace()),
                        new Replay(then, null).run(load.trace().traffic()).refused(),
                        () -> load.name() + ", " + change);
            }
        }
    }

    @Test
    void requestsThatComeInHeapsWithinASliceAreNotPreviewedAsIfTheyCameAlone() {
        Trace heaps = Trace.drawn(7, 60, at -> at % .1 < .001 ? 30_000 : 200, at -> 4, .3, (second, random) -> null);
        LimitPlan now = PreviewCases.plan("concurrency: 100", null);
        RecordedLoad recorded = LiveLimit.recorded(now, heaps);
        for (int limit : new int[] {5, 10, 15, 20, 25}) {
            LimitPlan then = PreviewCases.plan("concurrency: " + limit, now);
            Preview preview = Previewer.of(recorded, "", now, then);
            double error = preview.share() - truth(then, heaps);
            assertTrue(Math.abs(error) <= TOLERATED || !preview.unsure().isEmpty(), preview + ", wrong by " + error);
        }
    }
}
