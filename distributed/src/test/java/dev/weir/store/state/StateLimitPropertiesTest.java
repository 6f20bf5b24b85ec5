package dev.weir.store.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.store.Reply;
import dev.weir.store.internal.CallStage;
import dev.weir.testkit.CpuBudget;
import dev.weir.testkit.Stress;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Instances with clocks of their own that share a limit by compare-and-set, under faults: its bound, and that nothing counts twice. */
@Tag("property")
@Tag("proof")
class StateLimitPropertiesTest {
    private static final CpuBudget BUDGET = Stress.seconds(0.4, 8, 80);
    private static final int SEEDS = 32;
    private static final Function<StateStore, StateStore> RIGHT = way -> way;

    private static StateModel run(SplittableRandom random, boolean wild, Function<StateStore, StateStore> twin) {
        StateModel model = new StateModel(random.split(), 50 + random.nextInt(2_000), 5 + random.nextInt(100), twin);
        model.start(1 + random.nextInt(4), wild);
        for (int step = 0; step < 1_500; step++) {
            model.ask("key " + random.nextInt(2));
            if (random.nextInt(40) == 0) {
                model.fault();
            }
            if (wild && random.nextInt(300) == 0) {
                model.jump();
            }
            if (random.nextInt(3) != 0) {
                model.pass(random.nextInt(3_000_000));
            }
        }
        assertEquals(0, model.quiet(), "calls without an answer");
        return model;
    }

    @Test
    void D1_noMoreIsGrantedThanTheLimitByTheClockOfTheStoreWhateverFails() {
        BUDGET.forAll(SEEDS, random -> {
            StateModel model = run(random, false, RIGHT);
            assertTrue(model.worst() <= 0, () -> "too many: " + model.worst());
            assertTrue(model.worstByInstants() <= 0, () -> "too many by their instants: " + model.worstByInstants());
        });
    }

    /** Each jump ahead refills what it passes; a ticker that stands still delays an instant by two seconds at most. */
    @Test
    void D1_noMoreIsGrantedThoughClocksJumpAndTickersStandStillOrRunFast() {
        BUDGET.forAll(SEEDS, random -> {
            StateModel model = run(random, true, RIGHT);
            assertTrue(model.worst() <= 0, () -> "too many: " + model.worst());
        });
    }

    /** Without a refill all that was granted has been counted once; of a call that failed it is not known. */
    @Test
    void D4_nothingIsCountedTwiceAndNothingIsForgotten() {
        BUDGET.forAll(SEEDS, random -> assertTrue(isConserved(random, RIGHT)));
    }

    private static boolean isConserved(SplittableRandom random, Function<StateStore, StateStore> twin) {
        StateModel model = new StateModel(random.split(), 1, 1_000_000, twin);
        model.start(3, false);
        for (int step = 0; step < 1_000; step++) {
            model.charge("key " + random.nextInt(2), 1_000);
            if (random.nextInt(40) == 0) {
                model.fault();
            }
            model.pass(random.nextInt(3_000_000));
        }
        assertEquals(0, model.quiet(), "calls without an answer");
        long surplus = model.used() - model.charged();
        /* What has refilled is less than one call. */
        return surplus > -1_000 && surplus <= model.inDoubt();
    }

    /** Closed loops at one key, as long as a caller waits for each call. */
    private static final class Contest {
        private static final long TIMEOUT = 100_000_000;

        private final StateModel model;
        private final long[] turns;
        private final long[] givenUp;

        private Contest(StateModel model) {
            this.model = model;
            turns = new long[model.limits().size()];
            givenUp = new long[turns.length];
        }

        private void run(long seconds) {
            for (int i = 0; i < turns.length; i++) {
                takeTurns(i);
            }
            model.pass(seconds * 1_000_000_000L);
        }

        private void takeTurns(int instance) {
            CompletionStage<Reply> stage = model.limits().get(instance).acquire("k", 1);
            ((CallStage<Reply>) stage).within(TIMEOUT);
            CompletionStage<Reply> unused = stage.whenComplete((reply, thrown) -> {
                if (thrown == null) {
                    turns[instance]++;
                } else {
                    assertInstanceOf(ContentionException.class, thrown);
                    givenUp[instance]++;
                }
                takeTurns(instance);
            });
        }

        @Override
        public String toString() {
            return Arrays.toString(turns) + ", given up " + Arrays.toString(givenUp);
        }
    }

    /** Eight instances that are equally near: each has its turns, and few calls give up. */
    @Test
    void instancesThatContendForAKeyHaveTheirTurns() {
        BUDGET.forAll(SEEDS / 8, random -> {
            StateModel model = new StateModel(random.split(), 1_000, 1_000_000, RIGHT);
            model.start(8, false);
            model.near(100_000 + random.nextInt(1_000_000));
            Contest contest = new Contest(model);
            contest.run(10);
            long all = Arrays.stream(contest.turns).sum();
            for (long each : contest.turns) {
                assertTrue(each >= all / 16, contest::toString);
            }
            assertTrue(Arrays.stream(contest.givenUp).sum() * 100 <= all, contest::toString);
        });
    }

    /** So many near instances and one that is five times as far. */
    private static Contest farContest(SplittableRandom random, int near, long nanos) {
        StateModel model = new StateModel(random.split(), 1_000, 1_000_000, RIGHT);
        model.start(near + 1, false);
        model.near(nanos);
        model.far(near, 5 * nanos);
        Contest contest = new Contest(model);
        contest.run(10);
        return contest;
    }

    /** At least 100 turns in 10 s: one in each quiet time would be 152. */
    private static boolean hasTurns(Contest contest, int instance) {
        return contest.turns[instance] >= 100 && contest.givenUp[instance] <= contest.turns[instance] / 4;
    }

    @Test
    void anInstanceThatIsFarHasATurnInMostQuietTimes() {
        BUDGET.forAll(SEEDS / 8, random -> {
            int near = 1 + random.nextInt(8);
            Contest contest = farContest(random, near, 50_000 + random.nextInt(250_000));
            assertTrue(hasTurns(contest, near), contest::toString);
        });
    }

    @Test
    void anInstanceWhoseRoundTripIsLongerThanTheQuietTimeHasNone() {
        Contest contest = farContest(new SplittableRandom(1), 8, 1_000_000);
        assertFalse(hasTurns(contest, 8), contest::toString);
        assertTrue(contest.givenUp[8] >= 50, contest::toString);
    }

    @Test
    void D1_brokenTwin_oneThatIgnoresTheVersionGrantsMore() {
        assertTrue(isFound(IgnoringVersions::new));
    }

    @Test
    void D1_brokenTwin_oneThatComputesWithItsOwnClockGrantsMore() {
        long[] instances = new long[1];
        assertTrue(isFound(way -> new OwnClock(way, 1_700_000_000_000_000L + 50_000 * instances[0]++)));
    }

    @Test
    void D1_brokenTwin_oneThatKeepsWhatCountsNoLongerThanThatGrantsMore() {
        boolean found = false;
        for (int seed = 0; seed < 200 && !found; seed++) {
            found = run(new SplittableRandom(seed), false, Forgetting::new).worstByInstants() > 0;
        }
        assertTrue(found);
    }

    @Test
    void D4_brokenTwin_oneThatRepeatsACommandCountsTwice() {
        boolean found = false;
        for (int seed = 0; seed < 20 && !found; seed++) {
            found = !isConserved(new SplittableRandom(seed), Repeating::new);
        }
        assertTrue(found);
    }

    private static boolean isFound(Function<StateStore, StateStore> twin) {
        for (int seed = 0; seed < 20; seed++) {
            if (run(new SplittableRandom(seed), false, twin).worst() > 0) {
                return true;
            }
        }
        return false;
    }

    /** Replaces any version. */
    private record IgnoringVersions(StateStore way) implements StateStore {
        @Override
        public CompletionStage<List<Stored>> read(List<String> names) {
            return way.read(names);
        }

        @Override
        public CompletionStage<List<Stored>> replace(List<Replacement> all) {
            List<Replacement> copy = List.copyOf(all);
            return way.read(copy.stream().map(Replacement::name).toList()).thenCompose(present -> {
                Replacement[] anyway = new Replacement[copy.size()];
                for (int i = 0; i < anyway.length; i++) {
                    Replacement next = copy.get(i);
                    anyway[i] = new Replacement(
                            next.name(), present.get(i).version(), next.state(), next.atMicros(), next.ttlMicros());
                }
                return way.replace(List.of(anyway));
            });
        }
    }

    /** Keeps a value for as long as it counts, and no longer. */
    private record Forgetting(StateStore way) implements StateStore {
        @Override
        public CompletionStage<List<Stored>> read(List<String> names) {
            return way.read(names);
        }

        @Override
        public CompletionStage<List<Stored>> replace(List<Replacement> all) {
            return way.replace(all.stream().map(Forgetting::brief).toList());
        }

        private static Replacement brief(Replacement next) {
            long ttl = Math.max(1, next.ttlMicros() - KeyChain.MOST_LAG_MICROS);
            return new Replacement(next.name(), next.version(), next.state(), next.atMicros(), ttl);
        }
    }

    /** Takes the instants of its own clock. */
    private record OwnClock(StateStore way, long micros) implements StateStore {
        @Override
        public CompletionStage<List<Stored>> read(List<String> names) {
            return way.read(names).thenApply(this::own);
        }

        private List<Stored> own(List<Stored> all) {
            return all.stream()
                    .map(each -> new Stored(
                            each.state(), each.version(), each.atMicros() + micros % 1_000_000, each.isReplaced()))
                    .toList();
        }

        @Override
        public CompletionStage<List<Stored>> replace(List<Replacement> all) {
            return way.replace(all.stream()
                            .map(each ->
                                    new Replacement(each.name(), each.version(), each.state(), 0, each.ttlMicros()))
                            .toList())
                    .thenApply(this::own);
        }
    }

    /** Takes an answer that is lost for a replacement that was not made. */
    private record Repeating(StateStore way) implements StateStore {
        @Override
        public CompletionStage<List<Stored>> read(List<String> names) {
            return way.read(names);
        }

        @Override
        public CompletionStage<List<Stored>> replace(List<Replacement> all) {
            List<String> names = all.stream().map(Replacement::name).toList();
            return way.replace(all)
                    .handle((answers, thrown) -> thrown != null && way instanceof SimulatedAccess access
                            ? access.readAtOnce(names)
                            : CompletableFuture.completedFuture(answers))
                    .thenCompose(stage -> stage);
        }
    }
}
