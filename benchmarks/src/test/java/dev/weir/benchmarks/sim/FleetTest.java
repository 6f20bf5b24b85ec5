package dev.weir.benchmarks.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.benchmarks.sim.Scenario.Cliff;
import dev.weir.benchmarks.sim.Scenario.Cpu;
import dev.weir.benchmarks.sim.Scenario.Fleet;
import dev.weir.benchmarks.sim.Scenario.Mix;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Several instances before one server, and a server that falls off a cliff. */
class FleetTest {
    private static final long SECOND = 1_000_000_000;

    /** 10 workers of 100 ms, asked for twice what they do. */
    private static Scenario scenario(Fleet fleet) {
        return new Scenario(
                "fleet",
                30,
                500,
                Steps.always(200),
                List.of(new Mix(0, List.of(Work.exponential(1, 100)))),
                new Cpu(false, Steps.always(10), Steps.always(1), 0, 0),
                null,
                0,
                List.of(1.0),
                Steps.always(10),
                null,
                null,
                fleet);
    }

    /** A limit that notes what it is told. */
    private static final class Noting implements Candidate {
        private final int limit;
        int asked;
        int late;
        int most;

        Noting(int limit) {
            this.limit = limit;
        }

        @Override
        public boolean admits(long now, int inFlight, int priority) {
            asked++;
            most = Math.max(most, inFlight);
            return inFlight < limit;
        }

        @Override
        public void left(long now, long start, int inFlightThen, boolean isLate) {
            late += isLate ? 1 : 0;
        }

        @Override
        public double limit() {
            return limit;
        }
    }

    private record Ran(List<Noting> limits, Run.Outcome outcome) {}

    private static Ran ran(Scenario scenario, int limit) {
        List<Noting> limits = new java.util.ArrayList<>();
        Contender contender = new Contender("noting", (any, seed) -> {
            Noting made = new Noting(limit);
            limits.add(made);
            return Doorman.of(made);
        });
        Doorman doorman = Doormen.of(contender, scenario, 1);
        return new Ran(limits, new Run(scenario, new Arrivals(scenario, 1), doorman, null).outcome());
    }

    @Test
    void eachInstanceHasALimitOfItsOwnAndCountsItsOwnCalls() {
        Ran ran = ran(scenario(Fleet.of(4)), 5);
        assertEquals(4, ran.limits.size());
        for (Noting each : ran.limits) {
            assertEquals(5, each.most);
            assertEquals(1500, each.asked, 200);
        }
        assertEquals(300, ran.outcome.goodput() / 10.0, 10, "the workers are busy all the time");
    }

    @Test
    void eachInstanceHasAPeerOfItsOwn() {
        Contender peer = Contender.withPeers(List.of()).stream()
                .filter(contender -> contender.name().equals("Static200"))
                .findFirst()
                .orElseThrow();
        assertEquals(4 * 200, Doormen.of(peer, scenario(Fleet.of(4)), 1).limit());
    }

    @Test
    void aLateCallIsASuccessUnlessItIsTold() {
        Fleet silent = Fleet.of(2);
        assertEquals(
                0,
                ran(scenario(silent), 100).limits.stream()
                        .mapToInt(each -> each.late)
                        .sum());
        Fleet telling = new Fleet(silent.shares(), silent.awayMillis(), 0, true);
        assertTrue(ran(scenario(telling), 100).limits.stream().allMatch(each -> each.late > 100));
    }

    @Test
    void anInstanceThatJoinsIsAskedFromThenOn() {
        Ran ran = ran(scenario(Fleet.of(List.of(Steps.always(1), Steps.between(0, 20, 1, 100)))), 5);
        assertEquals(5000, ran.limits.get(0).asked, 200);
        assertEquals(1000, ran.limits.get(1).asked, 100);
    }

    @Test
    void whatTheServerItselfRefusesIsDropped() {
        Fleet alike = Fleet.of(2);
        Run.Outcome outcome = ran(scenario(new Fleet(alike.shares(), alike.awayMillis(), 12, false)), 100).outcome;
        assertTrue(outcome.dropped() > 1000, outcome::toString);
        assertEquals(3000, outcome.goodput(), 100);
        assertEquals(0, outcome.refused());
    }

    /** By Little's law 10 more calls are on their way where each takes as long as in the server. */
    @Test
    void whatIsOnItsWayIsInFlight() {
        Fleet far = new Fleet(List.of(Steps.always(1)), List.of(100.0), 0, false);
        assertEquals(1500, ran(scenario(far), 10).outcome.goodput(), 100);
        assertEquals(2800, ran(scenario(far), 30).outcome.goodput(), 150, "but for those that are late");
    }

    @Test
    void aFleetOfOneThatIsToldIsAServerWithoutOne() {
        Fleet one = new Fleet(List.of(Steps.always(1)), List.of(0.0), 0, true);
        assertEquals(
                ran(scenario(null), 15).outcome.toString().replaceAll("\\[D@\\w+", ""),
                ran(scenario(one), 15).outcome.toString().replaceAll("\\[D@\\w+", ""));
    }

    private static Job job(int number) {
        return new Job(number, number, 0, 0, 0, Work.exponential(1, 1), SECOND, 0, 0);
    }

    private static Station station(double back) {
        return new Station(new Cpu(true, Steps.always(1e9), Steps.always(1), 0, 0, new Cliff(10, 2, back)), 1e9);
    }

    /** At 20 inside of 10, a job of one second takes (20 / 10) ^ 2 = 4 seconds. */
    @Test
    void beyondTheEdgeAllAreSlower() {
        Station station = station(10);
        for (int i = 0; i < 10; i++) {
            station.enter(job(i), SECOND);
        }
        assertEquals(SECOND, station.next(), 1000);
        for (int i = 10; i < 20; i++) {
            station.enter(job(i), SECOND);
        }
        assertEquals(4 * SECOND, station.next(), 1000);
    }

    @Test
    void withHysteresisItIsSlowUntilMostHaveLeft() {
        Station station = station(4);
        for (int i = 0; i < 11; i++) {
            station.enter(job(i), i < 6 ? SECOND : 3 * SECOND);
        }
        long first = station.next();
        station.advance(first);
        for (int i = 0; i < 6; i++) {
            assertFalse(station.done() == null);
        }
        assertEquals(5, station.size());
        long left = station.next() - first;
        assertEquals(2 * SECOND * 1.21, left, 2000, "5 inside, and still as slow as with 11");
        Station whole = station(10);
        for (int i = 0; i < 5; i++) {
            whole.enter(job(i), SECOND);
        }
        assertEquals(SECOND, whole.next(), 1000);
    }
}
