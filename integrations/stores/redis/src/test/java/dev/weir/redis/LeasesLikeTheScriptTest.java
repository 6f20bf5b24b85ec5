package dev.weir.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.store.lease.HeldLease;
import dev.weir.store.lease.LeaseReply;
import dev.weir.store.lease.LeaseStore;
import dev.weir.store.lease.LeaseTerms;
import dev.weir.store.lease.Leases;
import dev.weir.store.lease.StateLeases;
import dev.weir.store.state.Replacement;
import dev.weir.store.state.StateStore;
import dev.weir.store.state.Stored;
import dev.weir.testkit.Seed;
import dev.weir.testkit.Stress;
import dev.weir.testkit.VirtualTime;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The leases of a store by compare-and-set, beside the script on a real server: the same answers to the same calls at the same instants. */
@Needs(Server.REDIS)
@Tag("property")
class LeasesLikeTheScriptTest {
    private static final long START = 1_755_840_000_123_456L;
    private static final long LEASE = 10_000_000;
    private static final int HOLDERS = 4;

    private static VirtualRedis server;

    private Script script = Script.semaphore();
    private long micros;
    private long limit;

    @BeforeAll
    static void start() {
        server = new VirtualRedis();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** A store with one value, at the time of the test. */
    private final class OneValue implements StateStore {
        private byte @Nullable [] state;
        private long version;

        private Stored stored() {
            byte[] present = state;
            return present == null ? Stored.absent(micros) : Stored.present(present, version, micros);
        }

        @Override
        public CompletionStage<List<Stored>> read(List<String> names) {
            return CompletableFuture.completedFuture(List.of(stored()));
        }

        @Override
        public CompletionStage<List<Stored>> replace(List<Replacement> replacements) {
            Replacement next = replacements.get(0);
            assertEquals(stored().version(), next.version());
            state = next.state();
            return CompletableFuture.completedFuture(List.of(Stored.replaced(next, ++version, micros)));
        }

        private void set(byte @Nullable [] junk) {
            state = junk;
            version++;
        }
    }

    private record Both(List<Leases> scripted, List<Leases> stored, VirtualTime time) {
        /** What is known of the value is too old to be used. */
        private <T> T answer(int holder, Function<Leases, CompletionStage<T>> call) {
            time.advance(2_000_000_000L);
            T expected = call.apply(scripted.get(holder)).toCompletableFuture().join();
            T answer = call.apply(stored.get(holder)).toCompletableFuture().join();
            assertEquals(expected, answer);
            return answer;
        }
    }

    @Test
    @Tag("proof")
    void D13_eachAnswerIsThatOfTheScript() {
        Stress.seconds(1, 20, 200).forAll(20, random -> history(random, random.nextInt(100, 1_000)));
    }

    /** Each changes one thing of the script. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "used + before + permits <= limit | used + before < limit",
                "now >= closed and used + before | used + before",
                "line[mine or #line + 1] | line[#line + 1]",
                "      table.remove(line, mine) | ",
                "if till > now and wanted <= limit | if wanted <= limit",
                "now + TURN_MICROS, '1' | now + 2 * TURN_MICROS, '1'",
                "token = math.max(token + 1, now) | token = now",
                "now < closed and used + each <= limit | now < closed",
                "if now < last then | if false then",
                "state[5] = server + lease | ",
                "math.max(1, (tonumber(next[2]) or now) - now) | 1",
                ".. ':' .. holder | .. ':' .. 0",
            })
    void D13_brokenTwin_isFound(String right, @Nullable String wrong) {
        String text = script.text().replace(right, wrong == null ? "" : wrong);
        assertNotEquals(script.text(), text);
        script = new Script("twin", text, Integer.toString(text.hashCode()));
        assertThrows(AssertionError.class, () -> Seed.forAll(200, random -> history(random, 300)));
    }

    private Both both(StateStore value) {
        VirtualTime time = new VirtualTime();
        LeaseStore scripted =
                new RedisLeases((ignored, keys, arguments) -> server.run(script, keys, arguments), server);
        LeaseStore stored = StateLeases.of(value, time, time);
        Both both = new Both(new ArrayList<>(), new ArrayList<>(), time);
        for (int i = 0; i < HOLDERS; i++) {
            both.scripted.add(scripted.leases("s", "h" + i));
            both.stored.add(stored.leases("s", "h" + i));
        }
        return both;
    }

    private void history(SplittableRandom random, int steps) {
        server.redis().flushall();
        micros = START;
        server.time(() -> micros);
        limit = random.nextInt(1, 12);
        OneValue value = new OneValue();
        Both both = both(value);
        List<HeldLease> known = new ArrayList<>();
        for (int step = 0; step < steps; step++) {
            int holder = random.nextInt(HOLDERS);
            switch (random.nextInt(20)) {
                case 0 -> limit = random.nextInt(1, 12);
                case 1, 2, 3, 4 -> micros += random.nextLong(random.nextBoolean() ? 1_000 : LEASE / 10);
                case 5 -> micros += random.nextLong(2 * LEASE);
                case 6 -> {
                    long permits = random.nextInt(1, 3);
                    grant(both.answer(holder, each -> each.charge(permits, terms())), permits, known);
                    micros -= random.nextLong(LEASE);
                }
                case 7 -> lose(random, value, known);
                case 8, 9, 10, 11, 12 -> {
                    long permits = random.nextInt(1, 5);
                    long wait = random.nextInt(3) == 0 ? 0 : 1 + random.nextLong(LEASE / 4);
                    grant(both.answer(holder, each -> each.acquire(permits, terms(), wait)), permits, known);
                }
                default -> renewOrRelease(random, both, holder, known);
            }
        }
    }

    private LeaseTerms terms() {
        return new LeaseTerms(limit, LEASE);
    }

    private static void grant(LeaseReply reply, long permits, List<HeldLease> known) {
        if (reply.isGranted()) {
            known.add(new HeldLease(reply.token(), permits));
        }
    }

    private void renewOrRelease(SplittableRandom random, Both both, int holder, List<HeldLease> known) {
        List<HeldLease> some = known.subList(Math.max(0, known.size() - 12), known.size()).stream()
                .filter(each -> random.nextInt(3) == 0)
                .toList();
        if (random.nextInt(3) > 0) {
            both.answer(holder, each -> each.renew(some, terms()));
        } else {
            both.answer(holder, each -> each.release(some, terms()).thenApply(done -> true));
        }
    }

    /** The value of another program, or none. Tokens grow if the time has not gone back. */
    private void lose(SplittableRandom random, OneValue value, List<HeldLease> known) {
        long last = known.stream().mapToLong(HeldLease::token).max().orElse(0);
        if (random.nextInt(3) > 0 || micros <= last) {
            return;
        }
        if (random.nextBoolean()) {
            server.redis().set(VirtualRedis.KEY, "junk".getBytes(UTF_8));
            value.set("junk".getBytes(UTF_8));
        } else {
            server.redis().del(VirtualRedis.KEY);
            value.set(null);
        }
    }
}
