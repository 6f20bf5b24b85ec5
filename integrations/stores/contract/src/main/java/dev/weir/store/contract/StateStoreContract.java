package dev.weir.store.contract;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.store.state.EvenRate;
import dev.weir.store.state.Replacement;
import dev.weir.store.state.StateRate;
import dev.weir.store.state.StateStore;
import dev.weir.store.state.Stored;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The contract of every {@link StateStore}. A test of a store extends this, and says how to open the store and how time passes for it. The
 * server should be a real one. Each test uses names of its own, so that what an earlier run has left disturbs nothing.
 */
@Tag("contract")
public abstract class StateStoreContract {
    private static final long LONG = TimeUnit.HOURS.toMicros(1);
    private static final int THREADS = 8;

    private final String own =
            "contract:" + Long.toUnsignedString(new SplittableRandom().nextLong(), Character.MAX_RADIX);

    /** For a test of a store. */
    protected StateStoreContract() {}

    /** The access of one instance to the store, another one for each call. The contract does not close it. */
    protected abstract StateStore open() throws Exception;

    /** Closes the access of an instance, and returns true; false if a store needs no close. */
    protected abstract boolean close(StateStore store) throws Exception;

    /** Lets time pass for the store: sleeps, or moves its clock. */
    protected abstract void pass(Duration time) throws Exception;

    /** The longest time after its end for which a value may still be there. Default: a second. */
    protected Duration expiry() {
        return Duration.ofSeconds(1);
    }

    /** Waits for an answer. */
    protected <T> T answer(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(1, TimeUnit.MINUTES);
    }

    private String name(String suffix) {
        return own + ':' + suffix;
    }

    private Stored read(StateStore store, String name) throws Exception {
        return answer(store.read(List.of(name))).get(0);
    }

    private Stored replace(StateStore store, String name, long version, byte... state) throws Exception {
        return answer(store.replace(List.of(new Replacement(name, version, state, 0, LONG))))
                .get(0);
    }

    private static void assertAbsent(Stored stored) {
        assertNull(stored.state(), "is there, or there after its time: see expiry()");
        assertEquals(0, stored.version());
        assertFalse(stored.isReplaced());
    }

    private static void assertPresent(Stored stored, long version, byte... state) {
        assertArrayEquals(state, stored.state());
        assertEquals(version, stored.version());
    }

    @Test
    void aNameThatNobodyReplacedIsAbsent() throws Exception {
        assertAbsent(read(open(), name("k")));
    }

    @Test
    void whatOneInstanceReplacesAllRead() throws Exception {
        StateStore a = open();
        StateStore b = open();
        Stored made = replace(a, name("k"), 0, (byte) 1, (byte) -1);
        assertTrue(made.isReplaced());
        assertPresent(made, made.version(), (byte) 1, (byte) -1);
        Stored read = read(b, name("k"));
        assertPresent(read, made.version(), (byte) 1, (byte) -1);
        assertFalse(read.isReplaced());
    }

    @Test
    void onlyTheVersionThatWasReadIsReplacedAndTheAnswerTellsWhatIsThere() throws Exception {
        StateStore store = open();
        String k = name("k");
        assertAbsent(replace(store, k, 7, (byte) 9));
        long first = replace(store, k, 0, (byte) 1).version();
        long second = replace(store, k, first, (byte) 2).version();
        assertNotEquals(first, second);
        for (long version : new long[] {0, first, second + 1_000_000_007L}) {
            Stored present = replace(store, k, version, (byte) 3);
            assertFalse(present.isReplaced(), "version " + version);
            assertPresent(present, second, (byte) 2);
        }
        assertPresent(read(store, k), second, (byte) 2);
    }

    @Test
    void theVersionChangesAlsoIfTheStateDoesNot() throws Exception {
        StateStore store = open();
        long first = replace(store, name("k"), 0, (byte) 1).version();
        Stored again = replace(store, name("k"), first, (byte) 1);
        assertTrue(again.isReplaced());
        assertNotEquals(first, again.version());
        assertFalse(replace(store, name("k"), first, (byte) 1).isReplaced());
    }

    @Test
    void aReplacementIsNotMadeBeforeTheClockOfTheStoreHasReachedItsInstant() throws Exception {
        StateStore store = open();
        String k = name("k");
        long at = read(store, k).atMicros();
        Replacement early = new Replacement(k, 0, new byte[1], at + LONG, LONG);
        Stored refused = answer(store.replace(List.of(early))).get(0);
        assertAbsent(refused);
        assertTrue(refused.atMicros() >= at && refused.atMicros() < at + LONG);
        Replacement reached = new Replacement(k, 0, new byte[1], at, LONG);
        assertTrue(answer(store.replace(List.of(reached))).get(0).isReplaced());
    }

    @Test
    void answersAreInTheOrderOfTheCallAndEachReplacementIsMadeByItself() throws Exception {
        StateStore store = open();
        List<String> names = new ArrayList<>(IntStream.range(0, StateStore.MOST_NAMES)
                .mapToObj(i -> name("k" + i))
                .toList());
        Collections.shuffle(names, new Random(1));
        for (int i = 0; i < names.size(); i += 3) {
            replace(store, names.get(i), 0, (byte) 100);
        }
        List<Replacement> all = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            all.add(new Replacement(names.get(i), 0, new byte[] {(byte) i}, 0, LONG));
        }
        List<Stored> answers = answer(store.replace(all));
        Collections.reverse(names);
        List<Stored> read = answer(store.read(names));
        assertEquals(names.size(), answers.size());
        assertEquals(names.size(), read.size());
        for (int i = 0; i < answers.size(); i++) {
            byte state = i % 3 == 0 ? 100 : (byte) i;
            assertEquals(i % 3 != 0, answers.get(i).isReplaced(), "the one at " + i);
            assertArrayEquals(new byte[] {state}, answers.get(i).state(), "the one at " + i);
            Stored same = read.get(names.size() - 1 - i);
            assertPresent(same, answers.get(i).version(), state);
        }
    }

    /** Each thread adds one, again and again, to whatever it has read last. */
    @Test
    void noReplacementIsLostAmongThreads() throws Exception {
        List<StateStore> stores = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            stores.add(open());
        }
        String k = name("count");
        int times = 50;
        Set<Long> versions = Collections.synchronizedSet(new HashSet<>());
        InParallel.run(stores, store -> {
            Stored last = read(store, k);
            for (int made = 0; made < times; ) {
                last = replace(store, k, last.version(), bytes(1 + number(last.state())));
                made += last.isReplaced() && versions.add(last.version()) ? 1 : 0;
            }
        });
        assertEquals(THREADS * times, number(read(stores.get(0), k).state()));
    }

    private static byte[] bytes(int number) {
        return new byte[] {(byte) (number >> 8), (byte) number};
    }

    private static int number(byte @Nullable [] state) {
        return state == null ? 0 : (state[0] & 0xff) << 8 | (state[1] & 0xff);
    }

    /** Names in another order in each thread: a store that locks them must not wait for itself. */
    @Test
    void threadsThatReplaceTheSameNamesInAnyOrderAllEnd() throws Exception {
        List<StateStore> stores = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            stores.add(open());
        }
        List<String> names = IntStream.range(0, 8).mapToObj(i -> name("k" + i)).toList();
        AtomicInteger made = new AtomicInteger();
        InParallel.run(stores, store -> {
            Random random = new Random(stores.indexOf(store));
            for (int round = 0; round < 25; round++) {
                List<String> mixed = new ArrayList<>(names);
                Collections.shuffle(mixed, random);
                List<Stored> present = answer(store.read(mixed));
                List<Replacement> all = new ArrayList<>();
                for (int i = 0; i < mixed.size(); i++) {
                    Stored each = present.get(i);
                    all.add(new Replacement(mixed.get(i), each.version(), bytes(1 + number(each.state())), 0, LONG));
                }
                answer(store.replace(all)).stream().filter(Stored::isReplaced).forEach(each -> made.incrementAndGet());
            }
        });
        int counted = answer(stores.get(0).read(names)).stream()
                .mapToInt(each -> number(each.state()))
                .sum();
        assertEquals(made.get(), counted);
    }

    @Test
    void theClockNeverGoesBackInAnswers() throws Exception {
        List<StateStore> stores = List.of(open(), open());
        long last = read(stores.get(0), name("k")).atMicros();
        for (int i = 0; i < 50; i++) {
            StateStore store = stores.get(i % 2);
            long at = i % 5 == 0
                    ? replace(store, name("clock" + i), 0, (byte) 1).atMicros()
                    : read(store, name("k")).atMicros();
            long before = last;
            assertTrue(at >= before, () -> at + " after " + before);
            last = at;
        }
    }

    @Test
    void theClockRunsInMicroseconds() throws Exception {
        StateStore store = open();
        long before = read(store, name("k")).atMicros();
        pass(Duration.ofMillis(300));
        long passed = read(store, name("k")).atMicros() - before;
        assertTrue(passed >= 295_000 && passed < TimeUnit.MINUTES.toMicros(10), () -> "it moved by " + passed);
    }

    @Test
    void aValueIsThereForItsTimeAndNotForeverAndItsVersionsAreNotUsedAgain() throws Exception {
        StateStore store = open();
        String k = name("short");
        Duration time = Duration.ofSeconds(2);
        Replacement brief = new Replacement(k, 0, new byte[] {1}, 0, TimeUnit.SECONDS.toMicros(time.toSeconds()));
        Stored made = answer(store.replace(List.of(brief))).get(0);
        pass(time.dividedBy(2));
        Stored half = read(store, k);
        if (half.atMicros() - made.atMicros() < TimeUnit.SECONDS.toMicros(time.toSeconds())) {
            assertPresent(half, made.version(), (byte) 1);
        }
        pass(time.dividedBy(2).plus(expiry()));
        assertAbsent(read(store, k));
        assertAbsent(replace(store, k, made.version(), (byte) 2));
        Stored next = replace(store, k, 0, (byte) 3);
        assertTrue(next.isReplaced());
        assertNotEquals(made.version(), next.version());
    }

    @Test
    void aReplacementSetsTheTimeAgain() throws Exception {
        StateStore store = open();
        String k = name("kept");
        Replacement brief = new Replacement(k, 0, new byte[] {1}, 0, TimeUnit.SECONDS.toMicros(1));
        Stored made = answer(store.replace(List.of(brief))).get(0);
        Stored kept = replace(store, k, made.version(), (byte) 2);
        if (kept.isReplaced()) {
            pass(Duration.ofSeconds(1).plus(expiry()));
            assertPresent(read(store, k), kept.version(), (byte) 2);
        }
    }

    @Test
    void aValueMayBeKeptForever() throws Exception {
        StateStore store = open();
        Replacement forever = new Replacement(name("k"), 0, new byte[] {1}, 0, Replacement.FOREVER);
        Stored made = answer(store.replace(List.of(forever))).get(0);
        assertTrue(made.isReplaced());
        assertPresent(read(store, name("k")), made.version(), (byte) 1);
    }

    @Test
    void namesThatDifferInOneCharAreDifferent() throws Exception {
        StateStore store = open();
        String longest = own + "x".repeat(StateStore.LONGEST_NAME - own.length() - 1);
        List<String> names = List.of(
                name("a"),
                name("A"),
                name("a "),
                name(" a"),
                name("\u00e4"),
                name("a\u0308"),
                name("\u00c4"),
                name("ss"),
                name("\u00df"),
                name("\ud83d\ude00"),
                name("\ud83d\ude01"),
                name("'\"\\%_?:;{}[]$\n\r\t\u0001\u007f\u200b\ufeff\uffff"),
                name("'"),
                name("--"),
                name(""),
                longest + "y",
                longest + "z",
                longest,
                own + "\ud83d\ude00".repeat((StateStore.LONGEST_NAME - own.length()) / 2),
                own + "\u4e16".repeat(StateStore.LONGEST_NAME - own.length()));
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            assertTrue(replace(store, name, 0, (byte) i).isReplaced(), () -> "is there already: " + name);
        }
        List<Stored> read = answer(store.read(names));
        for (int i = 0; i < names.size(); i++) {
            assertArrayEquals(new byte[] {(byte) i}, read.get(i).state(), names.get(i));
        }
    }

    @Test
    void aStateMayBeEmptyOrLarge() throws Exception {
        StateStore store = open();
        Stored empty = replace(store, name("k"), 0);
        assertTrue(empty.isReplaced() && empty.version() != 0);
        assertPresent(read(store, name("k")), empty.version());
        byte[] large = new byte[100_000];
        new SplittableRandom(1).nextBytes(large);
        Stored made = replace(store, name("k"), empty.version(), large);
        assertTrue(made.isReplaced());
        assertPresent(read(store, name("k")), made.version(), large);
        byte[] largest = new byte[StateStore.LARGEST_STATE];
        assertTrue(replace(store, name("k"), made.version(), largest).isReplaced());
        assertPresent(read(store, name("k")), read(store, name("k")).version(), largest);
    }

    @Test
    void aPingCompletesNormally() throws Exception {
        Object unused = answer(open().ping());
    }

    @Test
    void afterItIsClosedEachStageFailsAndNothingIsThrown() throws Exception {
        StateStore closed = open();
        StateStore other = open();
        Stored made = replace(closed, name("k"), 0, (byte) 1);
        if (close(closed)) {
            List<CompletionStage<?>> stages = List.of(
                    closed.read(List.of(name("k"))),
                    closed.replace(List.of(new Replacement(name("k"), made.version(), new byte[1], 0, LONG))),
                    closed.ping());
            assertAll(stages.stream().map(stage -> () -> assertThrows(ExecutionException.class, () -> answer(stage))));
            assertPresent(read(other, name("k")), made.version(), (byte) 1);
        }
    }

    /** A rate that refills nothing meanwhile: what all instances are granted together is its burst. */
    @Test
    void aLimitOverItGrantsExactlyItsBurst() throws Exception {
        int burst = 100;
        StateRate rate = StateRate.even(List.of(new EvenRate(1, 1L << 40, burst * (1L << 40), burst, false, burst)));
        List<StateStore> stores = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            stores.add(open());
        }
        assertEquals(burst, InParallel.granted(stores, own, rate, burst));
    }
}
