package dev.weir.store.lease;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.store.lease.LeaseReply.Reason;
import dev.weir.store.state.StateStore;
import dev.weir.testkit.Seed;
import dev.weir.testkit.Stress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class LeaseStepTest {
    private static final long LEASE = 10_000_000;
    private static final long NOW = 1_700_000_000_000_000L;

    private byte @Nullable [] state;
    private long now = NOW;
    private long limit = 3;

    private LeaseTerms terms() {
        return new LeaseTerms(limit, LEASE);
    }

    private LeaseCall.Answer call(String holder, LeaseCall call) {
        LeaseStep step = new LeaseStep(holder, state, now);
        LeaseCall.Answer answer = step.answer(call, 0);
        byte[] next = step.bytes();
        state = next == null ? state : next;
        return answer;
    }

    private LeaseReply acquire(String holder, long permits, long wait) {
        return call(holder, new LeaseCall.Acquire(permits, terms(), wait)).reply();
    }

    private static LeaseStep step(String holder, byte @Nullable [] state, long now, LeaseCall call, long margin) {
        LeaseStep step = new LeaseStep(holder, state, now);
        LeaseCall.Answer unused = step.answer(call, margin);
        return step;
    }

    /** What the page on stores shows. */
    @Test
    void aStateHasTheBytesThatItsPageShows() {
        now = 1_000_000;
        acquire("a1", 2, 0);
        acquire("b", 2, 500_000);
        String text = "4c 01 0001 01"
                + "00000000000f4240 00000000000f4240 0000000000000000 0000000000000000"
                + "02 6131 0001 00000000000f4240 0000000000000002 0000000000a7d8c0"
                + "01 62 0000000000000002 000000000016e360 00";
        assertArrayEquals(HexFormat.of().parseHex(text.replace(" ", "")), state);
    }

    @Test
    void D13_aRejectionWritesNothingUnlessTheHolderWaits() {
        acquire("a", 3, 0);
        LeaseCall refused = new LeaseCall.Acquire(1, terms(), 0);
        assertNull(step("b", state, now, refused, 0).bytes());
        assertNull(
                step("b", state, now, new LeaseCall.Acquire(4, terms(), 1), 0).bytes(), "never");
        assertNotNull(
                step("b", state, now, new LeaseCall.Acquire(1, terms(), 1), 0).bytes());
        List<HeldLease> unknown = List.of(new HeldLease(7, 1));
        assertNull(
                step("b", state, now, new LeaseCall.Renew(unknown, terms()), 0).bytes());
        assertNull(step("b", state, now, new LeaseCall.Release(unknown, terms()), 0)
                .bytes());
        assertNull(step("b", null, now, new LeaseCall.Release(List.of(), terms()), 0)
                .bytes());
    }

    /** A lease lasts from the call on, also if it is counted from an instant before. */
    @Test
    void D13_aLeaseAndAPlaceLastLongerByTheMargin() {
        LeaseStep granted = step("a", null, now, new LeaseCall.Acquire(3, terms(), 0), 1_000);
        assertEquals(LEASE + 1_000 + LeaseStep.KEPT_MICROS, granted.ttlMicros());
        state = granted.bytes();
        state = step("b", state, now, new LeaseCall.Acquire(1, terms(), 50_000), 1_000)
                .bytes();
        now += 50_999;
        assertEquals(Reason.HELD, acquire("c", 1, 0).reason());
        assertEquals(
                1,
                Objects.requireNonNull(LeaseState.of(Objects.requireNonNull(state)))
                        .waiting()
                        .size());
        now = NOW + LEASE + 999;
        assertEquals(1, acquire("c", 1, 0).retryMicros());
        now++;
        assertTrue(acquire("c", 3, 0).isGranted());
    }

    /** What is forgotten while the clock is behind the last token would be followed by a smaller one. */
    @Test
    void D13_tokensGrowAfterTheClockWentBackAndTheStateWasForgotten() {
        long last = acquire("a", 1, 0).token();
        now -= 3_600_000_000L;
        LeaseCall release = new LeaseCall.Release(List.of(new HeldLease(last, 1)), terms());
        now += step("a", state, now, release, 0).ttlMicros();
        state = null;
        long next = acquire("b", 1, 0).token();
        assertTrue(next > last, () -> next + " after " + last);
    }

    @Test
    void D10_whatIsNoStateIsReplacedAndHoldersRenewFirst() {
        acquire("a", 2, 0);
        HeldLease held = new HeldLease(NOW, 2);
        byte[] other = Objects.requireNonNull(state).clone();
        other[1]++;
        for (byte[] junk : List.of(new byte[0], "junk".getBytes(US_ASCII), other)) {
            state = junk;
            now = NOW + 1;
            LeaseReply refused = acquire("b", 1, 0);
            assertEquals(List.of(Reason.RECOVERS, LEASE), List.of(refused.reason(), refused.retryMicros()));
            assertEquals(
                    List.of(true, false),
                    call("a", new LeaseCall.Renew(List.of(held, new HeldLease(NOW - 1, 2)), terms()))
                            .done(),
                    "within the limit");
            now += LEASE;
            assertTrue(acquire("b", 3, 0).isGranted());
        }
    }

    /** With the longest names of holders, each another one. */
    @Test
    void aStateWithTheMostLeasesFitsIntoAStore() {
        Map<String, Map<HeldLease, Long>> leases = new LinkedHashMap<>();
        for (int i = 0; i < LeaseState.MOST_LEASES; i++) {
            leases.put(longest(i), Map.of(new HeldLease(i + 1, 1), NOW + LEASE));
        }
        List<LeaseState.Waiting> waiting = new ArrayList<>();
        for (int i = 0; i < Leases.MOST_WAITING; i++) {
            waiting.add(new LeaseState.Waiting(longest(i), 1, NOW + LEASE, true));
        }
        byte[] most = new LeaseState(LeaseState.MOST_LEASES, NOW, 0, 0, leases, waiting).bytes();
        assertTrue(most.length <= StateStore.LARGEST_STATE, () -> most.length + " bytes");
        assertArrayEquals(most, Objects.requireNonNull(LeaseState.of(most)).bytes());
        limit = Long.MAX_VALUE;
        state = most;
        assertEquals(Reason.FULL, acquire("a", 1, 0).reason());
        assertEquals(
                Reason.FULL, call("a", new LeaseCall.Charge(1, terms())).grant().reason());
        assertArrayEquals(most, state);
        HeldLease first = new HeldLease(1, 1);
        assertEquals(
                List.of(true),
                call(longest(0), new LeaseCall.Release(List.of(first), terms())).done());
        assertTrue(acquire("a", 1, 0).isGranted());
        assertEquals(Reason.FULL, acquire("a", 1, 0).reason());
    }

    private static String longest(int i) {
        return "x".repeat(LeaseState.LONGEST_HOLDER - 5) + String.format("%05d", i);
    }

    /** Calls that go together are the same as calls one after the other, and each state is read as it was written. */
    @Test
    @Tag("proof")
    @Tag("property")
    void D13_eachStateThatIsWrittenIsReadAndNothingElseIsBelieved() {
        Stress.seconds(1, 10, 100).forAll(200, random -> {
            state = random.nextInt(4) == 0 ? bytes(random) : null;
            for (int i = 0; i < 60; i++) {
                now += random.nextLong(-LEASE / 4, LEASE / 2);
                limit = random.nextLong(1, 8);
                String holder = "h" + random.nextInt(3);
                List<LeaseCall> calls = List.of(any(random), any(random), any(random));
                together(holder, calls);
                byte[] written = state;
                LeaseState read = written == null ? null : LeaseState.of(written);
                if (written != null && read != null) {
                    assertArrayEquals(written, read.bytes());
                    damage(random, written);
                }
            }
        });
    }

    private void together(String holder, List<LeaseCall> calls) {
        LeaseStep all = new LeaseStep(holder, state, now);
        List<LeaseCall.Answer> answers =
                calls.stream().map(each -> all.answer(each, 0)).toList();
        byte[] before = state;
        List<LeaseCall.Answer> single =
                calls.stream().map(each -> call(holder, each)).toList();
        assertEquals(single, answers);
        byte[] next = all.bytes();
        assertArrayEquals(state, next == null ? before : next);
    }

    private LeaseCall any(SplittableRandom random) {
        HeldLease some = new HeldLease(NOW + random.nextLong(1 << 20), random.nextLong(1, 4));
        List<HeldLease> known = new ArrayList<>(List.of(some));
        byte[] bytes = state;
        LeaseState read = bytes == null ? null : LeaseState.of(bytes);
        if (read != null) {
            read.leases().values().forEach(ends -> known.addAll(ends.keySet()));
        }
        return switch (random.nextInt(6)) {
            case 0 -> new LeaseCall.Charge(random.nextLong(1, 4), terms());
            case 1 -> new LeaseCall.Renew(known, terms());
            case 2 -> new LeaseCall.Release(known.subList(0, random.nextInt(known.size())), terms());
            default -> new LeaseCall.Acquire(random.nextLong(1, 4), terms(), random.nextLong(2) * LEASE / 4);
        };
    }

    /** One that is believed is written as it was, so it has the form of a state; a shorter or longer one has not. */
    private static void damage(SplittableRandom random, byte[] written) {
        byte[] damaged = written.clone();
        damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
        LeaseState read = LeaseState.of(damaged);
        if (read != null) {
            assertArrayEquals(damaged, read.bytes());
        }
        assertNull(LeaseState.of(Arrays.copyOf(written, written.length + 1)));
        assertNull(LeaseState.of(Arrays.copyOf(written, random.nextInt(written.length))));
    }

    private static byte[] bytes(SplittableRandom random) {
        byte[] bytes = new byte[random.nextInt(100)];
        random.nextBytes(bytes);
        if (bytes.length > 1 && random.nextBoolean()) {
            bytes[0] = 'L';
            bytes[1] = 1;
        }
        return bytes;
    }

    /** Each leaves out one check. */
    @Test
    @Tag("property")
    void D10_valuesOutsideTheirRangeAreNoState() {
        Seed.forAll(20, random -> {
            HeldLease lease = new HeldLease(5, 1);
            Map<String, Map<HeldLease, Long>> leases = Map.of("a", Map.of(lease, 9L));
            List<LeaseState.Waiting> waiting = List.of(new LeaseState.Waiting("a", 1, 9, false));
            assertNotNull(LeaseState.of(new LeaseState(5, 1, 0, 0, leases, waiting).bytes()));
            long high = LeaseState.MOST + 1 + random.nextLong(1 << 20);
            List<LeaseState> wrong = List.of(
                    new LeaseState(4, 1, 0, 0, leases, waiting),
                    new LeaseState(high, 1, 0, 0, leases, waiting),
                    new LeaseState(5, high, 0, 0, leases, waiting),
                    new LeaseState(5, -1, 0, 0, leases, waiting),
                    new LeaseState(5, 1, high, 0, leases, waiting),
                    new LeaseState(5, 1, 0, high, leases, waiting),
                    new LeaseState(5, 1, 0, 0, Map.of("a", Map.of(lease, high)), waiting),
                    new LeaseState(5, 1, 0, 0, Map.of("a", Map.of()), waiting),
                    new LeaseState(5, 1, 0, 0, Map.of("-", Map.of(lease, 9L)), waiting),
                    new LeaseState(5, 1, 0, 0, Map.of("a", Map.of(new HeldLease(5, 0), 9L)), waiting),
                    new LeaseState(5, 1, 0, 0, leases, List.of(waiting.get(0), waiting.get(0))),
                    new LeaseState(5, 1, 0, 0, leases, List.of(new LeaseState.Waiting("a", 0, 9, false))),
                    new LeaseState(5, 1, 0, 0, leases, List.of(new LeaseState.Waiting("a", 1, high, true))));
            for (LeaseState each : wrong) {
                assertNull(LeaseState.of(each.bytes()), each::toString);
            }
        });
    }
}
