package dev.weir.benchmarks.sim;

import dev.weir.spi.Registration;
import java.util.Arrays;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** One scenario under one limit, event by event. */
final class Run {
    private static final long CPU_EVERY = 500_000_000;
    private static final long[] BACKOFF = {100_000_000, 200_000_000, 400_000_000};

    private final Scenario scenario;
    private final Arrivals arrivals;
    private final Doorman doorman;
    private final @Nullable Trail trail;
    private final Station cpu;
    private final @Nullable Station dependency;
    private final PriorityQueue<Alarm> alarms = new PriorityQueue<>();
    private final boolean[] served;
    private double[] latencies = new double[1 << 12];
    private final int[] offered;
    private final int[] good;
    private long now;
    private long orders;
    private int admitted;
    private int inFlight;
    private int goodput;
    private int late;
    private int refused;
    private int recorded;

    private record Alarm(long due, long order, Runnable action) implements Comparable<Alarm> {
        @Override
        public int compareTo(Alarm other) {
            return due != other.due ? Long.compare(due, other.due) : Long.compare(order, other.order);
        }
    }

    /**
     * What came of it.
     *
     * @param goodput requests served in time
     * @param late served, too late
     * @param refused attempts sent away
     * @param admitted attempts let in
     * @param p99 of the latencies of all that were let in, in nanoseconds; those still inside at the end count as they are
     * @param p50 likewise
     * @param served by priority: which share of the requests was served in time
     */
    record Outcome(int goodput, int late, int refused, int admitted, double p99, double p50, double[] served) {}

    Run(Scenario scenario, Arrivals arrivals, Doorman doorman, @Nullable Trail trail) {
        this.scenario = scenario;
        this.arrivals = arrivals;
        this.doorman = doorman;
        this.trail = trail;
        Scenario.Cpu c = scenario.cpu();
        cpu = new Station(
                c.shared(),
                c.cores(),
                c.speed(),
                c.sigma(),
                c.kappa(),
                scenario.knee().most());
        Scenario.Dependency d = scenario.dependency();
        dependency = d == null
                ? null
                : new Station(
                        d.connections() == 0,
                        Steps.always(d.connections() == 0 ? 1e9 : d.connections()),
                        d.speed(),
                        0,
                        0,
                        1e9);
        served = new boolean[arrivals.count];
        offered = new int[scenario.classes().size()];
        good = new int[scenario.classes().size()];
    }

    long now() {
        return now;
    }

    int inFlight() {
        return inFlight;
    }

    Outcome outcome() {
        int next = 0;
        long end = scenario.nanos();
        alarm(CPU_EVERY, this::sampleCpu);
        for (; ; ) {
            long arrival = next < arrivals.count ? arrivals.at[next] : Long.MAX_VALUE;
            long alarm = alarms.isEmpty() ? Long.MAX_VALUE : alarms.peek().due;
            long second = dependency == null ? Long.MAX_VALUE : dependency.next();
            long event = Math.min(Math.min(arrival, alarm), Math.min(cpu.next(), second));
            if (event > end) {
                break;
            }
            moveTo(event);
            if (event == alarm) {
                alarms.poll().action.run();
            } else if (event == arrival) {
                offered[arrivals.priority[next]]++;
                arrives(next++, 0);
            }
        }
        return summed(end);
    }

    private void moveTo(long event) {
        now = event;
        cpu.advance(event);
        if (dependency != null) {
            dependency.advance(event);
            for (Job job = dependency.done(); job != null; job = dependency.done()) {
                leaves(job);
            }
        }
        for (Job job = cpu.done(); job != null; job = cpu.done()) {
            if (dependency == null) {
                leaves(job);
            } else {
                dependency.enter(
                        job,
                        job.dependencyWork * scenario.dependency().slowness().at(event));
            }
        }
    }

    Registration alarm(long delay, Runnable action) {
        Alarm alarm = new Alarm(now + delay, orders++, action);
        alarms.add(alarm);
        return () -> alarms.remove(alarm);
    }

    private void sampleCpu() {
        doorman.cpu(now, Math.min(1, cpu.busySince() / CPU_EVERY));
        doorman.load(now, cpu.size());
        alarm(CPU_EVERY, this::sampleCpu);
    }

    private void arrives(int request, int attempt) {
        Job job = new Job(
                orders++,
                request,
                attempt,
                now,
                arrivals.priority[request],
                arrivals.cpu[request],
                arrivals.dependency[request]);
        if (attempt < scenario.retries()) {
            alarm(scenario.timeoutNanos(), () -> {
                if (!job.left) {
                    triesAgain(job);
                }
            });
        }
        if (trail != null) {
            trail.offered(now);
        }
        doorman.arrives(job, this);
    }

    private void triesAgain(Job job) {
        if (job.attempt < scenario.retries()) {
            alarm(BACKOFF[Math.min(job.attempt, BACKOFF.length - 1)], () -> arrives(job.request, job.attempt + 1));
        }
    }

    /** The job is let in. */
    void enter(Job job) {
        job.start = now;
        inFlight++;
        job.inFlightThen = inFlight;
        admitted++;
        trace();
        cpu.enter(job, job.cpuWork);
    }

    /** The job is sent away. */
    void refuse(Job job) {
        refused++;
        if (!job.left) {
            job.left = true;
            if (now - job.arrived < scenario.timeoutNanos()) {
                triesAgain(job);
            }
        }
    }

    private void leaves(Job job) {
        inFlight--;
        long latency = now - job.arrived;
        boolean tooLate = latency > scenario.timeoutNanos();
        record(latency);
        if (tooLate) {
            late++;
        } else if (!served[job.request]) {
            served[job.request] = true;
            goodput++;
            good[job.priority]++;
            if (trail != null) {
                trail.served(now);
            }
        }
        job.left = true;
        doorman.left(job, tooLate, this);
        trace();
    }

    private void record(double latency) {
        if (recorded == latencies.length) {
            latencies = Arrays.copyOf(latencies, 2 * recorded);
        }
        latencies[recorded++] = latency;
    }

    private void trace() {
        if (trail != null) {
            trail.stands(now, doorman.limit(), inFlight);
        }
    }

    private Outcome summed(long end) {
        for (Job job : stillInside()) {
            record(end - job.arrived);
        }
        double[] sorted = Arrays.copyOf(latencies, recorded);
        Arrays.sort(sorted);
        double p99 = recorded == 0 ? 0 : sorted[(int) Math.min(recorded - 1, Math.ceil(recorded * 0.99) - 1)];
        double p50 = recorded == 0 ? 0 : sorted[(recorded - 1) / 2];
        double[] byClass = new double[good.length];
        for (int i = 0; i < good.length; i++) {
            byClass[i] = offered[i] == 0 ? 0 : (double) good[i] / offered[i];
        }
        return new Outcome(goodput, late, refused, admitted, p99, p50, byClass);
    }

    private Iterable<Job> stillInside() {
        java.util.List<Job> inside = new java.util.ArrayList<>(cpu.jobs());
        if (dependency != null) {
            inside.addAll(dependency.jobs());
        }
        return inside;
    }
}
