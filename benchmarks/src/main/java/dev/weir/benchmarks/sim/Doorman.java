package dev.weir.benchmarks.sim;

import java.util.function.ToIntBiFunction;

/** Stands before the server: lets jobs in by {@link Run#enter}, sends them away by {@link Run#refuse}, at once or later. */
interface Doorman {
    void arrives(Job job, Run run);

    void left(Job job, boolean late, Run run);

    default void cpu(long now, double share) {}

    default void load(long now, int runnable) {}

    double limit();

    /** A limit that answers at once. */
    static Doorman of(Candidate candidate) {
        return of(candidate, Run::inFlight);
    }

    /** A limit of what is counted so. */
    static Doorman of(Candidate candidate, ToIntBiFunction<Run, Job> count) {
        return new Doorman() {
            @Override
            public void arrives(Job job, Run run) {
                if (candidate.admits(run.now(), count.applyAsInt(run, job), job.priority)) {
                    run.enter(job);
                } else {
                    run.refuse(job);
                }
            }

            @Override
            public void left(Job job, boolean late, Run run) {
                candidate.left(run.now(), job.start, job.inFlightThen, late);
            }

            @Override
            public void cpu(long now, double share) {
                candidate.cpu(now, share);
            }

            @Override
            public void load(long now, int runnable) {
                candidate.load(now, runnable);
            }

            @Override
            public double limit() {
                return candidate.limit();
            }
        };
    }
}
