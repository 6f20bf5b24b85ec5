package dev.weir.store.contract;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.store.Reply;
import dev.weir.store.StoreLimit;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What every store of limits does. A test of a store extends this and says how to make a limit there. The rate is even: a
 * token bucket, or whatever grants the same.
 */
@Tag("contract")
public abstract class StoreLimitContract {
    /** A period in which a test does not see a permit refill. */
    private static final Duration LONG = Duration.ofHours(1);

    private static final Duration SECOND = Duration.ofSeconds(1);

    /** For a test of a store. */
    protected StoreLimitContract() {}

    /** A limit with an even rate, of which nothing is used: {@code permits} per period, at most {@code burst} at once. */
    protected abstract StoreLimit open(long permits, Duration period, long burst) throws Exception;

    /** Lets time pass for the store: sleeps, or moves its clock. */
    protected abstract void pass(Duration time) throws Exception;

    /** Waits for an answer. */
    protected <T> T answer(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(2, TimeUnit.MINUTES);
    }

    private Reply acquire(StoreLimit limit, @Nullable Object key, long permits) throws Exception {
        return answer(limit.acquire(key, permits));
    }

    @Test
    void aRequestTakesAllOrNone() throws Exception {
        StoreLimit limit = open(10, LONG, 10);
        Reply first = acquire(limit, "k", 7);
        Reply refused = acquire(limit, "k", 4);
        Reply second = acquire(limit, "k", 3);
        assertAll(
                () -> assertEquals(7, first.granted()),
                () -> assertEquals(3, first.remaining()),
                () -> assertEquals(0, first.retryAfterNanos()),
                () -> assertEquals(0, refused.granted()),
                () -> assertEquals(3, refused.remaining()),
                () -> assertTrue(refused.retryAfterNanos() > 0, refused::toString),
                () -> assertEquals(3, second.granted()),
                () -> assertEquals(0, second.remaining()));
    }

    @Test
    void anAnswerNamesTheLimitAndWhenItIsUnused() throws Exception {
        Reply reply = acquire(open(10, LONG, 10), "k", 5);
        assertEquals(10, reply.limit());
        long half = LONG.toNanos() / 2;
        assertTrue(reply.resetNanos() <= half + 1_000_000 && reply.resetNanos() > half * 9 / 10, reply::toString);
    }

    @Test
    void aRequestIsGrantedAfterItsRetryTime() throws Exception {
        StoreLimit limit = open(10, SECOND, 10);
        Reply all = acquire(limit, "k", 10);
        Reply refused = acquire(limit, "k", 5);
        assertEquals(10, all.granted());
        assertEquals(0, refused.granted());
        assertTrue(refused.retryAfterNanos() <= 500_001_000 && refused.retryAfterNanos() > 0, refused::toString);
        pass(Duration.ofNanos(refused.retryAfterNanos()));
        assertEquals(5, acquire(limit, "k", 5).granted());
    }

    @Test
    void aRequestForMoreThanTheBurstIsNeverGranted() throws Exception {
        StoreLimit limit = open(10, LONG, 10);
        Reply never = acquire(limit, "k", 11);
        assertEquals(0, never.granted());
        assertEquals(Reply.NEVER, never.retryAfterNanos());
        assertEquals(10, acquire(limit, "k", 10).granted());
    }

    @Test
    void upToTakesWhatThereIs() throws Exception {
        StoreLimit limit = open(10, LONG, 10);
        assertEquals(4, answer(limit.acquireUpTo("k", 4)).granted());
        assertEquals(6, answer(limit.acquireUpTo("k", 100)).granted());
    }

    @Test
    void upToSaysWhenThereIsOneMoreIfThereAreFewer() throws Exception {
        StoreLimit limit = open(10, LONG, 10);
        Reply all = answer(limit.acquireUpTo("k", 4));
        Reply part = answer(limit.acquireUpTo("k", 100));
        Reply refused = acquire(limit, "k", 1);
        assertEquals(0, all.retryAfterNanos());
        assertEquals(6, part.granted());
        assertTrue(part.retryAfterNanos() >= refused.retryAfterNanos(), () -> part + " " + refused);
        assertTrue(part.retryAfterNanos() <= LONG.toNanos() / 10 + 1_000, part::toString);
    }

    @Test
    void upToSaysWhenThereIsOnePermit() throws Exception {
        StoreLimit limit = open(10, SECOND, 10);
        assertEquals(10, answer(limit.acquireUpTo("k", 100)).granted());
        Reply none = answer(limit.acquireUpTo("k", 100));
        if (none.granted() == 0) {
            assertTrue(none.retryAfterNanos() > 0 && none.retryAfterNanos() <= 100_001_000, none::toString);
            pass(Duration.ofNanos(none.retryAfterNanos()));
            none = answer(limit.acquireUpTo("k", 100));
        }
        assertTrue(none.granted() >= 1, none::toString);
    }

    @Test
    void aChargeCountsBeyondTheLimit() throws Exception {
        StoreLimit limit = open(10, SECOND, 10);
        Reply charged = answer(limit.charge("k", 15));
        assertEquals(0, charged.remaining());
        Reply refused = acquire(limit, "k", 1);
        assertEquals(0, refused.granted());
        assertTrue(refused.retryAfterNanos() > 500_000_000, refused::toString);
        pass(Duration.ofNanos(refused.retryAfterNanos()));
        assertEquals(1, acquire(limit, "k", 1).granted());
    }

    @Test
    void aChargeLeavesWhatItDoesNotUse() throws Exception {
        StoreLimit limit = open(10, LONG, 10);
        assertEquals(6, answer(limit.charge("k", 4)).remaining());
        assertEquals(6, acquire(limit, "k", 6).granted());
    }

    @Test
    void aNegativeChargeRefunds() throws Exception {
        StoreLimit limit = open(10, LONG, 10);
        assertEquals(10, acquire(limit, "k", 10).granted());
        assertEquals(4, answer(limit.charge("k", -4)).remaining());
        assertEquals(0, acquire(limit, "k", 5).granted());
        assertEquals(4, acquire(limit, "k", 4).granted());
    }

    @Test
    void aRefundFillsTheLimitAtMost() throws Exception {
        StoreLimit limit = open(10, LONG, 10);
        assertEquals(2, acquire(limit, "k", 2).granted());
        assertEquals(10, answer(limit.charge("k", -100)).remaining());
        assertEquals(10, answer(limit.acquireUpTo("k", 100)).granted());
    }

    @Test
    void keysAreCountedByThemselves() throws Exception {
        StoreLimit limit = open(10, LONG, 10);
        for (Object key : new Object[] {"a", "b", "", 7, 7L, "}x"}) {
            assertEquals(10, acquire(limit, key, 10).granted(), () -> "key " + key);
        }
        assertEquals(10, acquire(limit, null, 10).granted());
        assertEquals(0, acquire(limit, "a", 1).granted());
        assertEquals(0, acquire(limit, null, 1).granted());
    }

    @Test
    void aPingCompletesNormally() throws Exception {
        Object unused = answer(open(10, LONG, 10).ping());
    }
}
