package dev.weir.keyed;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Account;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Traits;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A key is evicted at each critical instant of a request. */
class KeyedRaceTest {
    private static final Request ATTACKER = Request.forKey("attacker");
    private static final Runnable NOTHING = () -> {};

    private final AtomicReference<Runnable> beforeSpending = new AtomicReference<>(NOTHING);
    private final AtomicReference<Runnable> afterSpending = new AtomicReference<>(NOTHING);
    private final AtomicReference<Runnable> debtIsRead = new AtomicReference<>(NOTHING);
    private final StrategySpec perKey =
            ticker -> new Watched(TokenBucket.of(10, Duration.ofSeconds(1)).create(ticker));
    private final ManagedLimiter limiter = Limiters.builder("race", Keyed.of(perKey, 10))
            .ticker(new VirtualTime())
            .build();

    /** A bucket that runs an action once, during a request of the attacker. */
    private final class Watched implements Strategy {
        private final Strategy bucket;
        private volatile boolean attacked;

        Watched(Strategy bucket) {
            this.bucket = bucket;
        }

        @Override
        public long acquire(Request request) {
            if (request != ATTACKER) {
                return bucket.acquire(request);
            }
            attacked = true;
            beforeSpending.getAndSet(NOTHING).run();
            long answer = bucket.acquire(request);
            afterSpending.getAndSet(NOTHING).run();
            return answer;
        }

        @Override
        public @Nullable Account account() {
            Account account = bucket.account();
            if (attacked) {
                debtIsRead.getAndSet(NOTHING).run();
            }
            return account;
        }

        @Override
        public Traits traits() {
            return Traits.RATE;
        }

        @Override
        public long limit() {
            return bucket.limit();
        }

        @Override
        public void setLimit(long limit) {
            bucket.setLimit(limit);
        }
    }

    private int spend(int tries) {
        int admitted = 0;
        for (int i = 0; i < tries; i++) {
            admitted += limiter.tryAcquire(ATTACKER) instanceof Permit ? 1 : 0;
        }
        return admitted;
    }

    private void flood() {
        for (int i = 0; i < 500; i++) {
            limiter.tryAcquire(Request.forKey("flood" + i));
            limiter.tryAcquire(Request.forKey("flood" + i));
        }
    }

    @Test
    void K1_evictedBetweenLookupAndAcquire() {
        int admitted = spend(5);
        beforeSpending.set(this::flood);
        admitted += spend(100);
        assertEquals(10, admitted);
    }

    @Test
    void K1_evictedBetweenAcquireAndAnswer() {
        int admitted = spend(5);
        afterSpending.set(this::flood);
        admitted += spend(100);
        assertEquals(9, admitted, "the grant that was forgotten with its bucket was written down as spent");
    }

    @Test
    void K1_acquiredAfterTheDebtWasReadAndBeforeTheKeyWasRemoved() throws Exception {
        int before = spend(9);
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch read = new CountDownLatch(1);
        CountDownLatch spent = new CountDownLatch(1);
        beforeSpending.set(() -> {
            asked.countDown();
            awaitZero(read);
        });
        CompletableFuture<Integer> other = new CompletableFuture<>();
        new Thread(() -> other.complete(spend(1))).start();
        asked.await();
        debtIsRead.set(() -> {
            afterSpending.set(spent::countDown);
            read.countDown();
            awaitZero(spent);
        });
        flood();
        assertEquals(10, before + other.get() + spend(100));
    }

    private static void awaitZero(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void K1_createdByTheRuleThatIsBeingChanged() throws Exception {
        CountDownLatch making = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicReference<Runnable> whileMaking = new AtomicReference<>(NOTHING);
        ManagedLimiter changed = Limiters.builder(
                        "changed",
                        Keyed.of(
                                ticker -> {
                                    whileMaking.getAndSet(NOTHING).run();
                                    return TokenBucket.of(10, Duration.ofSeconds(1))
                                            .create(ticker);
                                },
                                10))
                .ticker(new VirtualTime())
                .build();
        whileMaking.set(() -> {
            making.countDown();
            await().until(() -> goOn.getCount() == 0);
        });
        CompletableFuture<Decision> made = CompletableFuture.supplyAsync(() -> changed.tryAcquire(ATTACKER));
        making.await();
        Thread changer = new Thread(() -> changed.reconfigure(Keyed.of(TokenBucket.of(5, Duration.ofSeconds(1)), 10)));
        changer.start();
        await().until(() -> changer.getState() == Thread.State.WAITING || !changer.isAlive());
        goOn.countDown();
        assertInstanceOf(Permit.class, made.join());
        changer.join();
        int admitted = 0;
        for (int i = 0; i < 100; i++) {
            admitted += changed.tryAcquire(ATTACKER) instanceof Permit ? 1 : 0;
        }
        assertTrue(admitted <= 5, "the entry is by the new rule, was good for " + admitted);
    }
}
