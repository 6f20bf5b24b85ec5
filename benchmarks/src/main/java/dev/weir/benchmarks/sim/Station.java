package dev.weir.benchmarks.sim;

import dev.weir.benchmarks.sim.Scenario.Cliff;
import dev.weir.benchmarks.sim.Scenario.Cpu;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A place where jobs are worked on: first come first served by so many workers, or all sharing so many cores. */
final class Station {
    /*
     * All jobs in service progress at the same pace, so one clock of work serves them all: a job that begins when the
     * clock shows w ends when it shows w + its size, whatever the pace does meanwhile.
     */
    private final Cpu cpu;
    private final double countedCores;
    private boolean fallen;
    private final PriorityQueue<Job> served =
            new PriorityQueue<>(Comparator.<Job>comparingDouble(j -> j.endsAt).thenComparingLong(j -> j.order));
    private final ArrayDeque<Job> line = new ArrayDeque<>();
    private int coresIndex;
    private int speedIndex;
    private double coresNow;
    private double speedNow;
    private long change;
    private double clock;
    private long now;
    private double pace;
    private double busy;

    /** @param countedCores how many of its cores are busy at most */
    Station(Cpu cpu, double countedCores) {
        this.cpu = cpu;
        this.countedCores = countedCores;
        stepTo(0);
        repace();
    }

    private void stepTo(long to) {
        Steps cores = cpu.cores();
        Steps speed = cpu.speed();
        while (cores.end(coresIndex) <= to) {
            coresIndex++;
        }
        while (speed.end(speedIndex) <= to) {
            speedIndex++;
        }
        coresNow = cores.value(coresIndex);
        speedNow = speed.value(speedIndex);
        change = Math.min(cores.end(coresIndex), speed.end(speedIndex));
    }

    private void repace() {
        int n = served.size();
        double share = cpu.shared() ? Math.min(1, coresNow / Math.max(1, n)) : 1;
        pace = speedNow * share * fall(n) / (1 + cpu.sigma() * (n - 1) + cpu.kappa() * n * (n - 1));
    }

    private double fall(int n) {
        Cliff cliff = cpu.cliff();
        if (cliff == null) {
            return 1;
        }
        fallen = n > (fallen ? cliff.back() : cliff.edge());
        double share = cliff.edge() / Math.max(n, cliff.edge() + 1);
        return fallen ? Math.max(Cliff.LEAST * share, StrictMath.pow(share, cliff.steepness())) : 1;
    }

    /** The instant at which something happens here next. */
    long next() {
        Job first = served.peek();
        if (first == null || pace <= 0) {
            return change;
        }
        return Math.min(change, now + Math.max(0, (long) Math.ceil((first.endsAt - clock) / pace)));
    }

    /** Moves time here. */
    void advance(long to) {
        clock += (to - now) * pace;
        double workers = Math.min(countedCores, coresNow);
        busy += (to - now) * Math.min(1, served.size() / workers);
        now = to;
        if (change <= to) {
            stepTo(to);
            fill();
            repace();
        }
    }

    void enter(Job job, double size) {
        job.size = size;
        line.add(job);
        fill();
        repace();
    }

    private void fill() {
        while (!line.isEmpty() && (cpu.shared() || served.size() < coresNow)) {
            Job job = line.poll();
            job.endsAt = clock + job.size;
            served.add(job);
        }
    }

    /** The next job that is done by now, taken out; null if none is. */
    @Nullable
    Job done() {
        Job first = served.peek();
        if (first == null || first.endsAt > clock + 1e-3) {
            return null;
        }
        served.poll();
        fill();
        repace();
        return first;
    }

    int size() {
        return served.size() + line.size();
    }

    /** All that is here. */
    List<Job> jobs() {
        return Stream.concat(served.stream(), line.stream()).toList();
    }

    /** Processor-nanoseconds worked over all there were, since the last call. */
    double busySince() {
        double worked = busy;
        busy = 0;
        return worked;
    }
}
