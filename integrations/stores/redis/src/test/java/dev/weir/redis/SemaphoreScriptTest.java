package dev.weir.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.store.lease.HeldLease;
import dev.weir.store.lease.LeaseTerms;
import dev.weir.testkit.Seed;
import dev.weir.testkit.Stress;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The script of the leased semaphore, on a real server in virtual time. */
@Needs(Server.REDIS)
class SemaphoreScriptTest {
    private static final long START = 1_755_840_000_123_456L;
    private static final long LEASE = 10_000_000;

    private static VirtualRedis server;

    private Script script = Script.semaphore();
    private long micros;
    private long back;
    private long limit = 10;
    private long since;

    @BeforeAll
    static void start() {
        server = new VirtualRedis();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void reset() {
        server.redis().flushall();
        server.told();
        micros = START;
        server.time(() -> micros);
        server.since(() -> since);
    }

    private LeaseTerms terms() {
        return new LeaseTerms(limit, LEASE);
    }

    private List<Long> acquire(long permits, String holder) {
        return server.call(script, SemaphoreScript.grant(Script.ACQUIRE, permits, terms(), holder, 0));
    }

    private List<Long> leases(int operation, String holder, HeldLease... leases) {
        return server.call(script, SemaphoreScript.leases(operation, List.of(leases), terms(), holder));
    }

    private static List<Long> reply(long... numbers) {
        List<Long> reply = new ArrayList<>();
        for (long number : numbers) {
            reply.add(number);
        }
        return reply;
    }

    @Test
    void D13_grantsAreCountedUntilTheirLeasesEnd() {
        limit = 3;
        assertEquals(reply(2, 1, 3, LEASE, 0, START, START), acquire(2, "1"));
        micros = START + 4_000_000;
        assertEquals(reply(1, 0, 3, LEASE, 0, micros, micros), acquire(1, "2"));
        assertEquals(reply(0, 0, 3, LEASE, 6_000_000, micros, 0), acquire(1, "3"));
        micros = START + LEASE - 1;
        assertEquals(reply(0, 0, 3, 4_000_001, 1, micros, 0), acquire(1, "3"));
        micros = START + LEASE;
        assertEquals(reply(2, 0, 3, LEASE, 0, micros, micros), acquire(2, "3"));
        assertEquals(reply(0, 0, 3, LEASE, -1, micros, 0), acquire(4, "3"));
    }

    @Test
    void D13_aLateReleaseOrRenewalDoesNothing() {
        limit = 1;
        acquire(1, "1");
        micros += LEASE;
        acquire(1, "2");
        long second = micros;
        micros++;
        HeldLease late = new HeldLease(START, 1);
        assertEquals(reply(0, 0, 1, LEASE - 1, 0, micros, 0), leases(SemaphoreScript.RELEASE, "1", late));
        assertEquals(reply(0, 0, 1, LEASE - 1, 0, micros, 0), leases(SemaphoreScript.RENEW, "1", late));
        HeldLease held = new HeldLease(second, 1);
        assertEquals(reply(0, 0, 1, LEASE - 1, 0, micros, 0), leases(SemaphoreScript.RELEASE, "1", held));
        assertEquals(reply(1, 1, 1, 0, 0, micros, 1), leases(SemaphoreScript.RELEASE, "2", held));
        assertEquals(reply(0, 1, 1, 0, 0, micros, 0), leases(SemaphoreScript.RELEASE, "2", held));
    }

    @Test
    void D13_aRenewalExtendsEachLeaseThatIsHeld() {
        acquire(1, "1");
        acquire(2, "1");
        micros += 9_000_000;
        HeldLease first = new HeldLease(START, 1);
        HeldLease other = new HeldLease(START, 2);
        HeldLease second = new HeldLease(START + 1, 2);
        assertEquals(
                reply(2, 7, 10, LEASE, 0, micros, 1, 0, 1), leases(SemaphoreScript.RENEW, "1", first, other, second));
        micros += 9_000_000;
        assertEquals(reply(7, 0, 10, LEASE, 0, micros, micros), acquire(7, "2"));
    }

    @Test
    void D13_tokensGrowAlsoAfterAllStateIsLost() {
        acquire(1, "1");
        assertEquals(START + 1, acquire(1, "1").get(6));
        server.redis().flushall();
        micros += 1_000;
        assertEquals(micros, acquire(1, "1").get(6));
    }

    @Test
    void D13_afterALossOfStateOnlyRenewalsAreAcceptedUntilOneLeaseHasPassed() {
        limit = 2;
        acquire(1, "1");
        acquire(1, "2");
        server.redis().flushall();
        micros += 2_000_000;
        since = micros;
        assertEquals(reply(0, 0, 2, 0, LEASE, micros, -1), acquire(1, "3"));
        micros += 1_000_000;
        assertEquals(reply(1, 0, 2, LEASE, 0, micros, 1), leases(SemaphoreScript.RENEW, "1", new HeldLease(START, 1)));
        micros += 8_999_999;
        assertEquals(reply(0, 0, 2, 1_000_001, 1, micros, -1), acquire(1, "3"));
        micros++;
        assertEquals(reply(1, 0, 2, LEASE, 0, micros, micros), acquire(1, "3"));
        assertEquals(
                reply(0, 0, 2, LEASE, 0, micros, 0),
                leases(SemaphoreScript.RENEW, "2", new HeldLease(START + 1, 1)),
                "too late");
    }

    @Test
    void D13_aLimitBelowWhatIsHeldGrantsNothingUntilThereIsRoom() {
        acquire(3, "1");
        acquire(2, "1");
        limit = 3;
        assertEquals(0, acquire(1, "2").get(0));
        leases(SemaphoreScript.RELEASE, "1", new HeldLease(START + 1, 2));
        assertEquals(0, acquire(1, "2").get(0));
        leases(SemaphoreScript.RELEASE, "1", new HeldLease(START, 3));
        assertEquals(3, acquire(3, "2").get(0));
    }

    @Test
    void D10_junkIsReplacedAndHoldersRenewFirst() {
        for (String junk : List.of("string", "hash", "members", "numbers")) {
            server.redis().flushall();
            micros += 1;
            switch (junk) {
                case "string" -> server.redis().set(VirtualRedis.KEY, "x".getBytes(UTF_8));
                case "hash" -> server.redis().hset(VirtualRedis.KEY, "x".getBytes(UTF_8), "y".getBytes(UTF_8));
                case "members" -> server.redis().zadd(VirtualRedis.KEY, -5, "STATE:1:2".getBytes(UTF_8));
                default ->
                    server.redis().zadd(VirtualRedis.KEY, -1, "STATE:1:2:3:4:99999999999999999999:6:".getBytes(UTF_8));
            }
            assertEquals(reply(0, 0, 10, 0, LEASE, micros, -1), acquire(1, "1"), junk);
            micros += LEASE;
            assertEquals(1, acquire(1, "1").get(0), junk);
        }
    }

    private long wait(String holder) {
        return server.call(script, SemaphoreScript.grant(Script.ACQUIRE, 1, terms(), holder, 400_000))
                .get(6);
    }

    @Test
    void D13_thoseThatWaitAreToldInOrderOfArrivalAndWhoDoesNotAskIsForgotten() {
        limit = 1;
        acquire(1, "1");
        assertEquals(List.of(-2L, -2L, -2L), List.of(wait("2"), wait("3"), wait("4")));
        assertEquals(-2, wait("2"), "it keeps its place");
        assertEquals(List.of(), server.told());
        leases(SemaphoreScript.RELEASE, "1", new HeldLease(START, 1));
        assertEquals(List.of("2"), server.told());
        assertEquals(-2, wait("1"), "behind those that wait");
        assertEquals(0, acquire(1, "5").get(0), "also if it does not wait");
        micros += 99_999;
        assertEquals(-2, wait("3"));
        micros++;
        assertEquals(-2, wait("1"), "a call of any other");
        assertEquals(List.of("3"), server.told());
        assertTrue(wait("3") > 0);
        assertEquals(-2, wait("2"), "it was too late");
        leases(SemaphoreScript.RELEASE, "3", new HeldLease(micros, 1));
        assertEquals(List.of("4"), server.told());
    }

    @Test
    void D13_asManyAreToldAsThereIsRoomFor() {
        limit = 3;
        acquire(3, "1");
        for (String holder : List.of("2", "3", "4", "5")) {
            assertEquals(-2, wait(holder));
        }
        leases(SemaphoreScript.RELEASE, "1", new HeldLease(START, 3));
        assertEquals(List.of("2", "3", "4"), server.told());
        assertTrue(wait("4") > 0, "in any order");
        assertTrue(wait("2") > 0);
        assertTrue(wait("3") > 0);
        limit = 4;
        acquire(1, "9");
        assertEquals(List.of("5"), server.told(), "a higher limit");
    }

    @Test
    void D11_aBoundedNumberWaits() {
        limit = 1;
        acquire(1, "1");
        for (int i = 0; i < 64; i++) {
            assertEquals(-2, wait(Integer.toString(100 + i)));
        }
        assertEquals(0, wait("99"));
    }

    /** A second longer than what it counts. */
    @Test
    void D3_everyKeyHasATimeToLive() {
        acquire(2, "1");
        assertTimeToLive(LEASE / 1_000 + 1_000);
        micros += 4_000_000;
        leases(SemaphoreScript.RENEW, "1", new HeldLease(START, 2));
        assertTimeToLive(LEASE / 1_000 + 1_000);
        leases(SemaphoreScript.RELEASE, "1", new HeldLease(START, 2));
        assertTimeToLive(1_000);
        since = micros;
        acquire(1, "1");
        assertTimeToLive(LEASE / 1_000 + 1_000);
    }

    /** What is forgotten while the clock is behind the last token would be followed by a smaller one. */
    @Test
    void D13_aKeyLivesUntilAClockThatWentBackHasReachedTheLastToken() {
        acquire(2, "1");
        micros -= 3_600_000_000L;
        leases(SemaphoreScript.RELEASE, "1", new HeldLease(START, 2));
        long left = server.redis().pttl(VirtualRedis.KEY);
        assertTrue(left > 3_590_000, "lives for " + left);
    }

    private static void assertTimeToLive(long millis) {
        long left = server.redis().pttl(VirtualRedis.KEY);
        assertTrue(left > 0 && left <= millis, "lives for " + left);
    }

    /** Also if the sum was changed by another program. */
    @Test
    void D13_aWrongSumIsRightAgainWhenNothingIsHeld() {
        server.redis().zadd(VirtualRedis.KEY, -1, ("STATE:10:2:" + START + ":0:0:0:").getBytes(UTF_8));
        assertEquals(10, acquire(10, "1").get(0));
    }

    @Test
    void D11_aCallRemovesABoundedNumberOfExpiredLeases() {
        limit = 1000;
        for (int i = 0; i < 1000; i++) {
            acquire(1, "1");
        }
        micros += 2 * LEASE;
        int calls = 1;
        while (acquire(1000, "2").get(0) == 0) {
            calls++;
        }
        assertEquals(16, calls);
        assertEquals(2, server.redis().zcard(VirtualRedis.KEY));
    }

    @Test
    @Tag("proof")
    @Tag("property")
    void D13_everyHistoryIsThatOfTheModel() {
        Stress.seconds(1, 20, 200).forAll(20, random -> history(random, random.nextInt(100, 1_000)));
    }

    /** Each leaves out one thing that the script must do. */
    @ParameterizedTest
    @Tag("property")
    @CsvSource(
            delimiter = '|',
            value = {
                "used + before + permits <= limit | used + before < limit",
                "now >= closed and used + before | used + before",
                "used + before + permits | used + permits",
                "line[mine or #line + 1] | line[#line + 1]",
                "      table.remove(line, mine) | ",
                "if till > now and wanted <= limit | if wanted <= limit",
                "if free < 0 then | if false then",
                "now + TURN_MICROS, '1' | now + TURN_MICROS, '0'",
                "token = math.max(token + 1, now) | token = now",
                "used = used - done * each | used = used - each",
                "redis.call('ZREM', KEY, unpack(expired)) | ",
                "now < closed and used + each <= limit | now < closed",
                "if now < last then | if false then",
                "state[5] = server + lease | ",
                "tonumber(ends) > now and 1 or 0 | 0",
                ".. ':' .. holder | .. ':' .. 0",
            })
    void D13_brokenTwin_isFound(String right, @Nullable String wrong) {
        Script shipped = Script.semaphore();
        String text = shipped.text().replace(right, wrong == null ? "" : wrong);
        assertNotEquals(shipped.text(), text);
        script = new Script("twin", text, Integer.toString(text.hashCode()));
        assertThrows(AssertionError.class, () -> Seed.forAll(200, random -> history(random, 300)));
    }

    private void history(SplittableRandom random, int steps) {
        reset();
        SemaphoreModel model = new SemaphoreModel();
        List<HeldLease> known = new ArrayList<>();
        since = 0;
        back = 0;
        limit = random.nextInt(1, 12);
        for (int step = 0; step < steps; step++) {
            String holder = Integer.toString(random.nextInt(3));
            switch (random.nextInt(20)) {
                case 0 -> limit = random.nextInt(1, 12);
                case 1, 2, 3, 4 -> micros += random.nextLong(random.nextBoolean() ? 1_000 : LEASE);
                case 5 -> {
                    grant(Script.CHARGE, 1, holder, 0, model, known);
                    long less = random.nextLong(LEASE);
                    micros -= less;
                    back += less;
                }
                case 6 -> lose(random, model, known);
                case 7, 8, 9, 10, 11 -> grant(Script.ACQUIRE, random.nextInt(1, 5), holder, wait(random), model, known);
                default -> renewOrRelease(random, holder, model, known);
            }
            checkTimeToLive();
        }
    }

    private static long wait(SplittableRandom random) {
        return random.nextInt(3) == 0 ? 0 : 1 + random.nextLong(LEASE / 4);
    }

    private void grant(
            int operation, long permits, String holder, long wait, SemaphoreModel model, List<HeldLease> known) {
        model.time(micros);
        long used = model.used();
        long greatest = model.lastToken();
        List<Long> reply = server.call(script, SemaphoreScript.grant(operation, permits, terms(), holder, wait));
        assertEquals(model.grant(operation, permits, since, limit, LEASE, holder, wait), reply);
        assertEquals(model.told(), server.told());
        if (reply.get(0) > 0) {
            assertTrue(operation == Script.CHARGE || used + permits <= limit, "never above the limit");
            assertTrue(reply.get(6) > greatest, "tokens grow");
            known.add(new HeldLease(reply.get(6), permits));
        }
    }

    private void renewOrRelease(SplittableRandom random, String holder, SemaphoreModel model, List<HeldLease> known) {
        List<HeldLease> some = known.subList(Math.max(0, known.size() - 12), known.size()).stream()
                .filter(each -> random.nextInt(3) == 0)
                .toList();
        if (some.isEmpty()) {
            return;
        }
        model.time(micros);
        boolean renews = random.nextInt(3) > 0;
        int operation = renews ? SemaphoreScript.RENEW : SemaphoreScript.RELEASE;
        List<Long> reply = server.call(script, SemaphoreScript.leases(operation, some, terms(), holder));
        assertEquals(
                renews
                        ? model.renew(some, since, limit, LEASE, holder)
                        : model.release(some, since, limit, LEASE, holder),
                reply);
        assertEquals(model.told(), server.told());
    }

    /* Tokens grow after a loss if the time of the server has not gone back. */
    private void lose(SplittableRandom random, SemaphoreModel model, List<HeldLease> known) {
        if (random.nextInt(3) > 0 || micros <= model.lastToken()) {
            return;
        }
        micros += 1_000;
        model.time(micros);
        if (random.nextBoolean()) {
            server.redis().set(VirtualRedis.KEY, "junk".getBytes(UTF_8));
            model.junk(LEASE);
        } else {
            server.redis().del(VirtualRedis.KEY);
            model.lose();
            since = micros;
        }
        grant(Script.ACQUIRE, limit, "9", 0, model, known);
    }

    /** By the time of the server, not that of the test: what was set is at most as old as this test. */
    private void checkTimeToLive() {
        long millis = server.redis().pttl(VirtualRedis.KEY);
        assertTrue(millis == -2 || millis >= 0, "a key without time to live");
        assertTrue(millis <= (2 * LEASE + back) / 1_000 + 1_000, "lives for " + millis);
    }
}
