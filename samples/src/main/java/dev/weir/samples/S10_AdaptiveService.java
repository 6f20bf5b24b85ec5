package dev.weir.samples;

import dev.weir.samples.Callers.Tally;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/*
 * A service that is asked for twice what it can give, first as it is, then behind Netflix's Gradient2, then behind ours,
 * without and with a short line before it, each in a process of its own. BurningService is the service, Callers are the load,
 * Guard is what differs. First the service is asked for more and more until it answers no more in time than before: that is
 * its capacity, and "of capacity" is the share of it that is answered in time, within half a second, when twice as many ask.
 * The callers share the processors with the service; that is part of the capacity too.
 *
 * Run its main, with the names of the guards to compare or none for all; takes three minutes, less with
 * -Dweir.overload.seconds below 20 for each guard. Exits with 0 if no permit was lost. What one run printed, and on which
 * machine, is in docs/proof/compared.md.
 */
public final class S10_AdaptiveService {
    private static final List<String> GUARDS =
            List.of("unguarded", "gradient2", "gradient2-windowed", "weir", "weir+queue");
    private static final String BARS = " ▁▂▃▄▅▆▇█";

    private final List<String> guards;
    private final int seconds = Integer.getInteger("weir.overload.seconds", 20);
    private final int warmUp = Math.min(4, seconds);
    private final Map<String, Tally> results = new LinkedHashMap<>();
    private double capacity = 1;
    private boolean lost;

    private S10_AdaptiveService(List<String> guards) {
        if (!GUARDS.containsAll(guards)) {
            throw new IllegalArgumentException("guards must be some of " + GUARDS + ", was " + guards);
        }
        this.guards = guards;
    }

    public static void main(String[] args) throws Exception {
        System.exit(new S10_AdaptiveService(args.length == 0 ? GUARDS : List.of(args)).run() ? 0 : 1);
    }

    private boolean run() throws Exception {
        double alone = measureCapacity();
        for (String guard : guards) {
            try (Service service = new Service(guard)) {
                service.callers.call(capacity / 2, warmUp);
                results.put(guard, service.callers.call(2 * capacity, seconds));
                String state = service.state();
                lost |= !state.endsWith("lost=0");
                System.out.printf(Locale.ROOT, "%-18s at the end: %s%n", guard, state);
            }
        }
        table(alone);
        chart("answered in time, of capacity, second by second", (tally, second) -> tally.good[second] / capacity);
        chart(
                "their p99, full height 500 ms, second by second",
                (tally, second) -> tally.quantile(0.99, second, second + 1) / BurningService.TIMEOUT.toMillis());
        return !lost;
    }

    private double measureCapacity() throws Exception {
        try (Service service = new Service("unguarded")) {
            service.callers.call(40, warmUp);
            Tally quiet = service.callers.call(40, Math.min(6, seconds));
            System.out.printf(
                    Locale.ROOT, "without load: p50 %.1f ms, p99 %.1f ms%n", quiet.quantile(0.5), quiet.quantile(0.99));
            double alone = quiet.allGood() == 0 ? BurningService.TIMEOUT.toMillis() : quiet.quantile(0.1);
            double asked = 0.3 * Runtime.getRuntime().availableProcessors() * 1000 / alone;
            int fruitless = 0;
            for (int steps = 0; steps < 2 * seconds && fruitless < 3; steps++, asked *= 1.15) {
                Tally step = service.callers.call(asked, Math.min(3, seconds));
                double good = step.goodPerSecond();
                System.out.printf(Locale.ROOT, "asked for %.0f/s: %.0f/s in time%n", asked, good);
                boolean grows = good > 1.01 * capacity || step.allGood() > 0.95 * step.sent;
                fruitless = grows ? 0 : fruitless + 1;
                capacity = Math.max(capacity, good);
            }
            return quiet.quantile(0.99);
        }
    }

    private void table(double alone) {
        System.out.printf(
                Locale.ROOT, "%ncapacity %.0f/s; asked for %.0f/s during %d s%n", capacity, 2 * capacity, seconds);
        System.out.printf(
                Locale.ROOT,
                "%-18s %9s %11s %8s %8s %10s %8s %6s%n",
                "",
                "in time/s",
                "of capacity",
                "p50 ms",
                "p99 ms",
                "of no-load",
                "refused",
                "late");
        results.forEach((guard, tally) -> System.out.printf(
                Locale.ROOT,
                "%-18s %9.0f %11.2f %8.1f %8.1f %10.1f %8d %6d%n",
                guard,
                tally.goodPerSecond(),
                tally.goodPerSecond() / capacity,
                tally.quantile(0.5),
                tally.quantile(0.99),
                tally.quantile(0.99) / alone,
                tally.refused,
                tally.late + tally.failed));
    }

    private interface Shown {
        double of(Tally tally, int second);
    }

    private void chart(String title, Shown shown) {
        System.out.printf(Locale.ROOT, "%n%s:%n", title);
        results.forEach((guard, tally) ->
                System.out.printf(Locale.ROOT, "%-18s |%s|%n", guard, bars(second -> shown.of(tally, second))));
    }

    private String bars(IntToDoubleFunction height) {
        return IntStream.range(0, seconds)
                .mapToDouble(height)
                .mapToObj(share -> Double.isNaN(share) ? "x" : bar(share))
                .collect(Collectors.joining());
    }

    private static String bar(double share) {
        int eighths = (int) Math.ceil(Math.min(1, share) * 8 - 0.5);
        return BARS.substring(eighths, eighths + 1);
    }

    /** The service in its process, and who calls it. */
    private static final class Service implements AutoCloseable {
        private final Child process;
        final Callers callers;

        Service(String guard) throws IOException {
            process = new Child(Child.java("-Xmx256m", BurningService.class.getName(), guard));
            callers = new Callers(Integer.parseInt(process.answer()), BurningService.TIMEOUT);
        }

        String state() throws IOException {
            process.end();
            return process.answer();
        }

        @Override
        public void close() throws IOException {
            callers.close();
            process.close();
        }
    }
}
