package dev.weir.benchmarks.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.benchmarks.sim.Scenario.Cpu;
import dev.weir.benchmarks.sim.Scenario.Mix;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The simulated server against what queueing theory says of it. */
class QueueingTest {
    private static final double SERVICE_MILLIS = 10;

    /** Counts the work that went through a server behind a limit, over some runs. */
    private static final class Measured {
        long served;
        long refused;
        double nanos;
        double busy;
        long readings;

        Measured run(Cpu cpu, double rho, double limit, int requests) {
            double cores = cpu.cores().value(0);
            double rate = rho * cores * 1e3 / SERVICE_MILLIS;
            int runs = Math.max(2, requests / 500_000);
            Scenario scenario = new Scenario(
                    "m/m/" + cores,
                    requests / runs / rate,
                    1e7,
                    Steps.always(rate),
                    List.of(new Mix(0, List.of(Work.exponential(1, SERVICE_MILLIS)))),
                    cpu,
                    null,
                    0,
                    List.of(1.0),
                    cpu.cores());
            for (int seed = 1; seed <= runs; seed++) {
                new Run(scenario, new Arrivals(scenario, seed), new Gauge(limit), null).outcome();
            }
            return this;
        }

        double meanMillis() {
            return nanos / served / 1e6;
        }

        double utilisation() {
            return busy / readings;
        }

        private final class Gauge implements Doorman {
            private final double limit;

            Gauge(double limit) {
                this.limit = limit;
            }

            @Override
            public void arrives(Job job, Run run) {
                if (run.inFlight() < limit) {
                    run.enter(job);
                } else {
                    refused++;
                    run.refuse(job);
                }
            }

            @Override
            public void left(Job job, boolean late, Run run) {
                served++;
                nanos += run.now() - job.arrived;
            }

            @Override
            public void cpu(long now, double share) {
                busy += share;
                readings++;
            }

            @Override
            public double limit() {
                return limit;
            }
        }
    }

    private static Cpu workers(int count) {
        return new Cpu(false, Steps.always(count), Steps.always(1), 0, 0);
    }

    /** The share that finds all c busy and is sent away (Erlang B), by its recursion over c. */
    private static double erlangB(int c, double offered) {
        double b = 1;
        for (int k = 1; k <= c; k++) {
            b = offered * b / (k + offered * b);
        }
        return b;
    }

    /** The share that has to wait (Erlang C). */
    private static double erlangC(int c, double offered) {
        double b = erlangB(c, offered);
        return b / (1 - offered / c * (1 - b));
    }

    /* Two servers, both busy half of the time: B = (1/2) / (1 + 1 + 1/2) = 1/5, C = (1/5) / (1 - 1/2 x 4/5) = 1/3. */
    @Test
    void erlangByHand() {
        assertEquals(0.2, erlangB(2, 1), 1e-12);
        assertEquals(1 / 3.0, erlangC(2, 1), 1e-12);
    }

    /* Mean sojourn: service + C / (c mu - lambda). The closer to 1 the load, the more requests a sure mean needs. */
    @ParameterizedTest(name = "{0} workers at {1}")
    @CsvSource({
        "1, 0.5, 200000", "1, 0.7, 500000", "1, 0.9, 2500000",
        "2, 0.5, 200000", "2, 0.7, 500000", "2, 0.9, 2500000",
        "8, 0.5, 200000", "8, 0.7, 500000", "8, 0.9, 2500000"
    })
    void waitingIsAsErlangSays(int c, double rho, int requests) {
        Measured measured = new Measured().run(workers(c), rho, Double.POSITIVE_INFINITY, requests);
        double expected = SERVICE_MILLIS + SERVICE_MILLIS * erlangC(c, rho * c) / (c * (1 - rho));
        assertEquals(expected, measured.meanMillis(), 0.03 * expected);
        assertEquals(rho, measured.utilisation(), 0.01 * rho);
        assertEquals(0, measured.refused);
    }

    /* 1 / (mu - lambda), whatever the distribution of the service. */
    @ParameterizedTest(name = "at {0}")
    @CsvSource({"0.5, 200000", "0.7, 500000", "0.9, 2500000"})
    void aSharedCoreIsSlowerByAllWhoShareIt(double rho, int requests) {
        Cpu cpu = new Cpu(true, Steps.always(1), Steps.always(1), 0, 0);
        Measured measured = new Measured().run(cpu, rho, Double.POSITIVE_INFINITY, requests);
        double expected = SERVICE_MILLIS / (1 - rho);
        assertEquals(expected, measured.meanMillis(), 0.03 * expected);
        assertEquals(rho, measured.utilisation(), 0.01 * rho);
    }

    @ParameterizedTest(name = "{0} workers at {1}")
    @CsvSource({"1, 0.5", "1, 1.5", "2, 0.7", "2, 2", "8, 0.9", "8, 1.2"})
    void aLimitOfTheWorkersRefusesAsErlangSays(int c, double rho) {
        Measured measured = new Measured().run(workers(c), rho, c, 300_000);
        double expected = erlangB(c, rho * c);
        assertEquals(expected, measured.refused / (double) (measured.refused + measured.served), 0.03 * expected);
        assertEquals(SERVICE_MILLIS, measured.meanMillis(), 0.01 * SERVICE_MILLIS);
    }
}
