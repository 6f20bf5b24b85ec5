package dev.weir.store.rates;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit.Quota;
import dev.weir.Request;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.keyed.Keyed;
import dev.weir.spi.Strategy;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BanTest {
    private static final long SECOND = 1_000_000_000L;

    private final VirtualTime time = new VirtualTime();
    private final Ban ban = new Ban(LeakyBucket.of(1, Duration.ofSeconds(10)).withBurst(1), Duration.ofSeconds(60));
    private final Strategy strategy = ban.create(time);

    private long ask(long permits) {
        return strategy.acquire(Request.of(permits));
    }

    @Test
    void aLocalBanBeginsWithTheFirstRefusalAndIsNotExtended() {
        assertEquals(0, ask(2));
        assertEquals(0, strategy.quota(Request.ONE).remaining());
        assertEquals(60 * SECOND, ask(1));
        time.advance(59 * SECOND);
        assertEquals(SECOND, ask(1));
        assertEquals(0, strategy.quota(Request.ONE).remaining());
        assertEquals(new Quota(1, 0, SECOND, 10 * SECOND), strategy.quota(Request.ONE));
        time.advance(SECOND - 1);
        assertEquals(1, ask(1));
        time.advance(1);
        assertEquals(0, ask(2));
        assertEquals(60 * SECOND, ask(1));
    }

    @Test
    void aRequestThatCanNeverFitBansNothing() {
        assertEquals(Strategy.NEVER, ask(3));
        assertEquals(0, ask(2));
    }

    @Test
    void K1_anEvictedKeyStaysBanned() {
        Strategy keyed = Keyed.of(ban, 2).create(time);
        assertEquals(0, keyed.acquire(new Request(2, 0, "banned", Request.NO_DEADLINE)));
        assertEquals(60 * SECOND, keyed.acquire(Request.forKey("banned")));
        for (int round = 0; round < 5; round++) {
            for (int key = 0; key < 20; key++) {
                boolean unused = keyed.acquire(Request.forKey(key)) == Strategy.GRANTED;
            }
        }
        time.advance(30 * SECOND);
        assertTrue(keyed.acquire(Request.forKey("banned")) > 29 * SECOND);
        time.advance(30 * SECOND);
        assertEquals(0, keyed.acquire(new Request(2, 0, "banned", Request.NO_DEADLINE)));
    }

    @Test
    void itIsARateLikeItsBucket() {
        assertEquals(1, strategy.limit());
        strategy.setLimit(2);
        assertEquals(2, strategy.limit());
        assertTrue(strategy.traits().refunds());
        ask(1);
        assertEquals(1, strategy.account().used());
        strategy.refund(Request.of(1), time.read());
        assertEquals(0, strategy.account().used());
        assertEquals(2, strategy.account().burst());
    }

    @Test
    void theTimeIsChecked() {
        String message = ""
                + assertThrows(IllegalArgumentException.class, () -> new Ban(ban.limit(), Duration.ZERO))
                        .getMessage();
        assertTrue(message.startsWith("time must be >= ") && message.endsWith("was PT0S"), message);
    }
}
