package dev.weir.benchmarks.sim;

import dev.weir.benchmarks.sim.Scenario.Backoff;
import dev.weir.benchmarks.sim.Scenario.Fleet;
import dev.weir.spi.Registration;
import java.util.LinkedHashSet;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** One scenario under one limit, event by event. */
final class Run {
    private static final long CPU_EVERY = 500_000_000;
    private static final long DROPPED_AFTER = 100_000;
    private static final double ANY = 1e9;

    private final Scenario scenario;
    private final Arrivals arrivals;
    private final Doorman doorman;
    private final @Nullable Trail trail;
    private final Station cpu;
    private final @Nullable Station dependency;
    private final Set<Job> waiting = new LinkedHashSet<>();
    private final Set<Job> away = new LinkedHashSet<>();
    private final @Nullable Fleet fleet;
    private final int[] inFlightOf;
    private final Backoff backoff;
    private final PriorityQueue<Alarm> alarms = new PriorityQueue<>();
    private final boolean[] served;
    private final Samples latencies = new Samples();
    private final int[] offered;
    private final int[] good;
    private long now;
    private long orders;
    private int admitted;
    private int inFlight;
    private int goodput;
    private int late;
    private int refused;
    private int dropped;
    private int usual;

    private record Alarm(long due, long order, Runnable action) implements Comparable<Alarm> {
        @Override
        public int compareTo(Alarm other) {
            return due != other.due ? Long.compare(due, other.due) : Long.compare(order, other.order);
        }
    }

    /**
     * The outcome of a run.
     *
     * @param goodput requests served in time
     * @param late served, too late
     * @param refused attempts sent away
     * @param admitted attempts let in
     * @param p99 of the latencies of all that were let in, in nanoseconds; those still inside at the end count as they
     *     are, those expected to be long or dropped below do not
     * @param p50 likewise
     * @param served by priority: which share of the requests was served in time
     * @param dropped let in, but refused by something below
     * @param usual of the goodput, the calls that are not expected to be long
     */
    record Outcome(
            int goodput,
            int late,
            int refused,
            int admitted,
            double p99,
            double p50,
            double[] served,
            int dropped,
            int usual) {
        /** The share of the attempts that was sent away. */
        double refusedShare() {
            return refused / Math.max(1.0, refused + admitted);
        }
    }

    Run(Scenario scenario, Arrivals arrivals, Doorman doorman, @Nullable Trail trail) {
        this.scenario = scenario;
        this.arrivals = arrivals;
        this.doorman = doorman;
        this.trail = trail;
        cpu = new Station(scenario.cpu(), scenario.knee().max());
        dependency = scenario.dependency() == null ? null : station(scenario.dependency());
        backoff = scenario.backoff() == null ? Backoff.USUAL : scenario.backoff();
        fleet = scenario.fleet();
        inFlightOf = new int[fleet == null ? 1 : fleet.shares().size()];
        served = new boolean[arrivals.count];
        offered = new int[scenario.classes().size()];
        good = new int[scenario.classes().size()];
    }

    private static Station station(Scenario.Dependency dependency) {
        boolean isOpen = dependency.connections() == 0;
        Steps connections = Steps.always(isOpen ? ANY : dependency.connections());
        return new Station(new Scenario.Cpu(isOpen, connections, dependency.speed(), 0, 0), ANY);
    }

    long now() {
        return now;
    }

    int inFlight() {
        return inFlight;
    }

    /** Of the instance of this job. */
    int inFlight(Job job) {
        return inFlightOf[job.instance];
    }

    /** Of those in flight, the ones that hold no worker. */
    int waiting() {
        return waiting.size();
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
                ends(job);
            }
        }
        for (Job job = cpu.done(); job != null; job = cpu.done()) {
            if (dependency == null) {
                ends(job);
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
                arrivals.work[request],
                arrivals.cpu[request],
                arrivals.dependency[request],
                arrivals.instance[request]);
        if (attempt < scenario.retries()) {
            alarm(scenario.timeoutNanos(job.work), () -> {
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
            double draw = 2 * new SplittableRandom(31L * job.request + job.attempt).nextDouble() - 1;
            alarm(backoff.nanos(job.attempt, draw), () -> arrives(job.request, job.attempt + 1));
        }
    }

    /** The job is let in. */
    void enter(Job job) {
        job.start = now;
        boolean isFull = fleet != null && fleet.most() > 0 && inFlight >= fleet.most();
        inFlight++;
        inFlightOf[job.instance]++;
        job.inFlightThen = inFlight(job);
        admitted++;
        trace();
        Steps drops = scenario.drops();
        if (isFull || drops != null && arrivals.dropped(job.request, drops.at(now))) {
            alarm(DROPPED_AFTER, () -> dropped(job));
        } else if (job.work.waits()) {
            waiting.add(job);
            alarm(Math.round(job.cpuWork), () -> {
                waiting.remove(job);
                leaves(job);
            });
        } else {
            cpu.enter(job, job.cpuWork);
        }
    }

    private void dropped(Job job) {
        dropped++;
        inFlight--;
        inFlightOf[job.instance]--;
        boolean over = job.left;
        job.left = true;
        doorman.left(job, true, this);
        trace();
        if (!over) {
            triesAgain(job);
        }
    }

    /** The job is sent away. */
    void refuse(Job job) {
        refused++;
        if (!job.left) {
            job.left = true;
            if (now - job.arrived < scenario.timeoutNanos(job.work)) {
                triesAgain(job);
            }
        }
    }

    /* In the server; its answer may be on its way for some time. */
    private void ends(Job job) {
        long wayNanos = fleet == null ? 0 : Math.round(fleet.awayMillis().get(job.instance) * 1e6);
        if (wayNanos == 0) {
            leaves(job);
            return;
        }
        away.add(job);
        Registration unused = alarm(wayNanos, () -> {
            away.remove(job);
            leaves(job);
        });
    }

    private void leaves(Job job) {
        inFlight--;
        inFlightOf[job.instance]--;
        long latency = now - job.arrived;
        boolean tooLate = latency > scenario.timeoutNanos(job.work);
        record(job, latency);
        if (trail != null && job.work.apart() == null) {
            trail.left(now, latency);
        }
        if (tooLate) {
            late++;
        } else if (!served[job.request]) {
            served[job.request] = true;
            goodput++;
            good[job.priority]++;
            usual += job.work.apart() == null ? 1 : 0;
            if (trail != null) {
                trail.served(now);
            }
        }
        job.left = true;
        doorman.left(job, tooLate && (fleet == null || fleet.tellsLate()), this);
        trace();
    }

    private void record(Job job, long latency) {
        if (job.work.apart() == null) {
            latencies.add(latency);
        }
    }

    private void trace() {
        if (trail != null) {
            trail.stands(now, doorman.limit(), inFlight);
        }
    }

    private Outcome summed(long end) {
        cpu.jobs().forEach(job -> record(job, end - job.arrived));
        if (dependency != null) {
            dependency.jobs().forEach(job -> record(job, end - job.arrived));
        }
        away.forEach(job -> record(job, end - job.arrived));
        boolean isNone = latencies.size() == 0;
        double p99 = isNone ? 0 : latencies.quantile(0.99);
        double p50 = isNone ? 0 : latencies.quantile(0.5);
        double[] byClass = new double[good.length];
        for (int i = 0; i < good.length; i++) {
            byClass[i] = offered[i] == 0 ? 0 : (double) good[i] / offered[i];
        }
        return new Outcome(goodput, late, refused, admitted, p99, p50, byClass, dropped, usual);
    }
}
