package dev.weir.samples;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/*
 * Three clients before one backend that is asked for 1.3 times what it can give, each with a limit of its own that knows of no
 * other: first Weir's, then Netflix's Vegas and Gradient2, a fixed one, and last Weir's for a single instance. Each of them is a process. FleetBackend has a queue
 * without end, and tells nobody how long it is; a FleetClient takes a late answer for a success. What one client gains by a
 * higher limit is taken from the others, so a limit that grows by its own gain alone grows for ever.
 *
 * Run its main, with the names of the limits to compare or none for all; takes three minutes for each of them, less with
 * -Dweir.fleet.seconds below 180. Ends with ok if no call failed, no permit was lost, and behind Weir's limits, after three
 * minutes, not more than four calls are in flight for each worker. What one run printed, and on which machine, is in
 * docs/proof/compared.md.
 */
public final class S21_Fleet {
    private static final List<String> GUARDS =
            List.of("weir", "vegas-windowed", "gradient2-windowed", "fixed", "weir-alone");
    private static final int CLIENTS = 3;
    private static final double CAPACITY = 1e3 * FleetBackend.WORKERS / FleetBackend.MEAN_MILLIS;
    private static final double ASKED = 1.3 * CAPACITY;
    private static final int PERIODS = 18;
    private static final int LAST = 12;
    private static final long WHOLE_MILLIS = 10_000;

    /** Calls in flight for each worker. */
    private static final double MOST = 4;

    private final long periodMillis = Integer.getInteger("weir.fleet.seconds", 180) * 1000L / PERIODS;
    private final Map<String, Measured> results = new LinkedHashMap<>();

    private S21_Fleet() {}

    public static void main(String[] args) throws Exception {
        List<String> guards = args.length == 0 ? GUARDS : List.of(args);
        if (!GUARDS.containsAll(guards)) {
            throw new IllegalArgumentException("guards must be some of " + GUARDS + ", was " + guards);
        }
        boolean ok = new S21_Fleet().run(guards);
        System.out.println(ok ? "ok" : "FAILED");
        System.exit(ok ? 0 : 1);
    }

    private boolean run(List<String> guards) throws Exception {
        System.out.printf(
                Locale.ROOT,
                "%d workers, %d ms a call: %.0f/s; %d clients ask for %.0f/s%n"
                        + "answered in time, %% of capacity, in each period of %.1f s:%n",
                FleetBackend.WORKERS,
                FleetBackend.MEAN_MILLIS,
                CAPACITY,
                CLIENTS,
                ASKED,
                periodMillis / 1e3);
        List<String> states = new ArrayList<>();
        for (String guard : guards) {
            try (Fleet fleet = new Fleet()) {
                fleet.start(guard);
                results.put(guard, measure(guard, fleet));
                fleet.end().forEach(state -> states.add(String.format("%-18s %s", guard, state)));
            }
        }
        table();
        System.out.println("\nclients at the end:");
        states.forEach(System.out::println);
        return isBounded() && states.stream().allMatch(state -> state.endsWith("; failed=0 lost=0"));
    }

    /** True if Weir's limits have not risen by what each takes from the others; a shorter run cannot tell. */
    private boolean isBounded() {
        Measured weir = results.get("weir");
        return weir == null || periodMillis < WHOLE_MILLIS || weir.inFlight(0.5) <= MOST;
    }

    private Measured measure(String guard, Fleet fleet) throws Exception {
        Measured measured = new Measured();
        System.out.printf("%-18s", guard);
        TimeUnit.MILLISECONDS.sleep(periodMillis);
        long start = System.nanoTime();
        fleet.inFlight();
        measured.counts.add(fleet.counts());
        for (int period = 1; period <= PERIODS; period++) {
            long end = start + TimeUnit.MILLISECONDS.toNanos(period * periodMillis);
            TimeUnit.NANOSECONDS.sleep(end - System.nanoTime());
            measured.inFlight.add(fleet.inFlight());
            measured.counts.add(fleet.counts());
            System.out.printf(" %3.0f", 100 * measured.inTime(period - 1, period) / (period(1) * CAPACITY));
            System.out.flush();
        }
        System.out.println();
        return measured;
    }

    private double period(int count) {
        return count * periodMillis / 1e3;
    }

    private void table() {
        System.out.printf(
                Locale.ROOT,
                "%nthe last %.0f s:        in time/s  of capacity  refused  in flight, of workers: median    most%n",
                period(LAST));
        results.forEach((guard, measured) -> {
            double inTime = measured.inTime(PERIODS - LAST, PERIODS) / period(LAST);
            System.out.printf(
                    Locale.ROOT,
                    "%-22s %9.0f %12.2f %8.2f %30.2f %7.2f%n",
                    guard,
                    inTime,
                    inTime / CAPACITY,
                    measured.refused(),
                    measured.inFlight(0.5),
                    measured.inFlight(1));
        });
    }

    /** The answers of the processes after each period; the counts also those before the first. */
    private static final class Measured {
        final List<Counts> counts = new ArrayList<>();
        final List<long[]> inFlight = new ArrayList<>();

        double inTime(int from, int to) {
            return counts.get(to).inTime - counts.get(from).inTime;
        }

        /** The share of the calls that were due in the last periods. */
        double refused() {
            Counts from = counts.get(PERIODS - LAST);
            Counts to = counts.get(PERIODS);
            return (double) (to.refused - from.refused) / (to.due - from.due);
        }

        /** Of what was in flight in the last periods; relative to the workers. */
        double inFlight(double quantile) {
            long[] sorted = inFlight.subList(PERIODS - LAST, PERIODS).stream()
                    .flatMapToLong(Arrays::stream)
                    .sorted()
                    .toArray();
            return (double) sorted[(int) (quantile * (sorted.length - 1))] / FleetBackend.WORKERS;
        }
    }

    private record Counts(long due, long refused, long inTime) {
        Counts plus(Counts other) {
            return new Counts(due + other.due, refused + other.refused, inTime + other.inTime);
        }
    }

    /** The backend and its clients. Their input ends with this process, however it ends, and they end with their input. */
    private static final class Fleet implements AutoCloseable {
        private final List<Child> children = new ArrayList<>();

        void start(String guard) throws IOException {
            Child backend = start(FleetBackend.class);
            String address = "http://127.0.0.1:" + backend.answer() + "/";
            for (int client = 1; client <= CLIENTS; client++) {
                start(FleetClient.class, guard, address, Double.toString(ASKED / CLIENTS), Integer.toString(client));
            }
        }

        private Child start(Class<?> main, String... args) throws IOException {
            Child child = Child.small(main, args);
            children.add(child);
            return child;
        }

        private List<Child> clients() {
            return children.subList(1, children.size());
        }

        long[] inFlight() throws IOException {
            return children.get(0).ask();
        }

        Counts counts() throws IOException {
            Counts all = new Counts(0, 0, 0);
            for (Child client : clients()) {
                long[] said = client.ask();
                all = all.plus(new Counts(said[0], said[1], said[2]));
            }
            return all;
        }

        /** The state of the limit of each client after its last call. */
        List<String> end() throws IOException {
            for (Child client : clients()) {
                client.end();
            }
            List<String> states = new ArrayList<>();
            for (Child client : clients()) {
                states.add(client.answer());
            }
            return states;
        }

        @Override
        public void close() {
            children.forEach(Child::close);
        }
    }
}
