package dev.weir.benchmarks.sim;

import java.util.List;
import java.util.stream.IntStream;

/** One limit for each instance of a fleet. */
final class Doormen implements Doorman {
    private final List<Doorman> each;

    private Doormen(List<Doorman> each) {
        this.each = each;
    }

    /** The limits of a contender before the server of a scenario: several if it has a fleet. */
    static Doorman of(Contender contender, Scenario scenario, long seed) {
        Scenario.Fleet fleet = scenario.fleet();
        int instances = fleet == null ? 1 : fleet.shares().size();
        return instances == 1
                ? contender.made().apply(scenario, seed)
                : new Doormen(IntStream.range(0, instances)
                        .mapToObj(i -> contender.made().apply(scenario, seed + i))
                        .toList());
    }

    @Override
    public void arrives(Job job, Run run) {
        each.get(job.instance).arrives(job, run);
    }

    @Override
    public void left(Job job, boolean late, Run run) {
        each.get(job.instance).left(job, late, run);
    }

    @Override
    public void cpu(long now, double share) {
        each.forEach(one -> one.cpu(now, share));
    }

    @Override
    public void load(long now, int runnable) {
        each.forEach(one -> one.load(now, runnable));
    }

    /** The sum. */
    @Override
    public double limit() {
        return each.stream().mapToDouble(Doorman::limit).sum();
    }
}
