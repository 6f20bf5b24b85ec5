package dev.weir.store.state;

import static dev.weir.store.state.Operation.ACQUIRE;
import static dev.weir.store.state.Operation.ACQUIRE_UP_TO;
import static dev.weir.store.state.Operation.CHARGE;
import static dev.weir.store.state.Operation.REFUND;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.store.Reply;
import dev.weir.store.state.StateRate.Even;
import dev.weir.store.state.StateRate.WindowLimit;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Short histories of each rule with numbers worked by hand. */
class StateTableTest {
    /** Two permits a second, of which a permit is 500,000 units, and four at once. */
    private static final Even TWO = new Even(1, 500_000, 2_000_000, 4, false, 2);

    /** Ten permits a second, of which a permit is 100,000 units. */
    private static final WindowLimit TEN = new WindowLimit(1, 100_000, 10);

    /** Three permits a second, of which a permit is 1,000,000 units. */
    private static final WindowLimit THREE = new WindowLimit(3, 1_000_000, 3);

    private byte[] state;
    private Step last;

    private StateTableTest at(long now, StateRate rate, Operation operation, long permits) {
        return at(now, rate, operation, permits, 0);
    }

    private StateTableTest at(long now, StateRate rate, Operation operation, long permits, long grantedAt) {
        last = rate.step(state, operation, permits, grantedAt, now);
        state = last.state() == null ? state : last.state();
        return this;
    }

    private StateTableTest answers(long granted, long remaining, long resetMicros, long retryMicros) {
        Reply reply = last.reply();
        long retry = retryMicros < 0 ? Reply.NEVER : retryMicros * 1_000;
        assertEquals(new Reply(granted, remaining, reply.limit(), resetMicros * 1_000, retry, 0, reply.at()), reply);
        return this;
    }

    private StateTableTest keeps(long... numbers) {
        assertNotNull(last.state());
        State read = Packed.read(state);
        assertNotNull(read);
        assertArrayEquals(numbers, read.numbers());
        return this;
    }

    private void has(long... elements) {
        assertArrayEquals(elements, Packed.read(state).elements());
    }

    private void writesNothing() {
        assertNull(last.state());
        assertEquals(0, last.ttlMicros());
    }

    @Test
    void anEvenRate() {
        StateRate rate = StateRate.even(List.of(TWO));
        at(1_000_000, rate, ACQUIRE, 3).answers(3, 1, 1_500_000, 0).keeps(1_000_000, 1_500_000, 0, 1_500_000);
        assertEquals(1_501_000, last.ttlMicros());
        at(1_000_000, rate, ACQUIRE, 2).answers(0, 1, 1_500_000, 500_000).writesNothing();
        at(1_000_000, rate, ACQUIRE, 5).answers(0, 1, 1_500_000, -1).writesNothing();
        at(1_250_000, rate, ACQUIRE_UP_TO, 5)
                .answers(1, 0, 1_750_000, 250_000)
                .keeps(1_250_000, 1_750_000, 0, 1_750_000);
        at(1_250_000, rate, CHARGE, 4).answers(4, 0, 3_750_000, 2_250_000);
        at(1_250_000, rate, REFUND, 1).answers(0, 0, 3_250_000, 1_750_000);
        at(1_000_000, rate, ACQUIRE, 0).answers(0, 0, 3_250_000, 1_250_000).keeps(1_000_000, 3_250_000, 0, 3_250_000);
        at(4_250_000, rate, ACQUIRE, 0).answers(0, 4, 0, 0).writesNothing();
        at(4_250_000, rate, CHARGE, -9).answers(0, 4, 0, 0).keeps(4_250_000, 0, 0, 0);
        assertEquals(1_000, last.ttlMicros());
    }

    @Test
    void aPacer() {
        StateRate rate = StateRate.even(List.of(new Even(1, 100_000, 200_000, 1, true, 10)));
        at(0, rate, ACQUIRE, 1).answers(1, 0, 200_000, 0);
        at(50_000, rate, ACQUIRE, 1).answers(0, 0, 150_000, 50_000).writesNothing();
        at(199_999, rate, ACQUIRE, 1).answers(1, 0, 100_001, 0).keeps(199_999, 100_001, 0, 100_001);
        at(300_000, rate, ACQUIRE, 1).answers(1, 0, 200_000, 0);
    }

    @Test
    void twoRatesGrantTogether() {
        Even slow = new Even(1, 10_000_000, 50_000_000, 5, false, 6);
        StateRate rate = StateRate.even(List.of(TWO, slow));
        at(0, rate, ACQUIRE, 4)
                .answers(4, 0, 2_000_000, 0)
                .keeps(0, 2_000_000, 0, 2_000_000, 40_000_000, 0, 40_000_000);
        at(2_000_000, rate, ACQUIRE, 2).answers(0, 1, 38_000_000, 8_000_000).writesNothing();
        assertEquals(6, last.reply().limit());
    }

    @Test
    void aWindowThatItsFirstPermitOpens() {
        StateRate rate = StateRate.fixed(THREE, 1_000_000, false);
        at(500, rate, ACQUIRE, 2).answers(2, 1, 1_000_000, 0).keeps(500, 2_000_000, 0, 500, 2);
        at(600_500, rate, ACQUIRE, 2).answers(0, 1, 400_000, 400_000).writesNothing();
        at(600_500, rate, ACQUIRE_UP_TO, 2).answers(1, 0, 400_000, 400_000).keeps(600_500, 1_200_000, 0, 500, 3);
        assertEquals(401_000, last.ttlMicros());
        at(1_000_499, rate, ACQUIRE, 1).answers(0, 0, 1, 1).writesNothing();
        at(1_000_500, rate, ACQUIRE, 1).answers(1, 2, 1_000_000, 0).keeps(1_000_500, 1_000_000, 0, 1_000_500, 1);
        at(900_500, rate, ACQUIRE, 1).answers(1, 1, 1_000_000, 0).keeps(900_500, 2_000_000, 0, 900_500, 2);
    }

    @Test
    void R4_anAlignedWindowLivesUntilItsEndByAClockThatWentBack() {
        StateRate rate = StateRate.fixed(THREE, 1_000_000, true);
        at(5_900_000, rate, ACQUIRE, 2).answers(2, 1, 100_000, 0).keeps(5_900_000, 2_000_000, 0, 5_000_000, 2);
        at(5_200_000, rate, ACQUIRE, 1).answers(1, 0, 100_000, 0).keeps(5_900_000, 3_000_000, 0, 5_000_000, 3);
        assertEquals(901_000, last.ttlMicros());
    }

    @Test
    void aSlidingWindow() {
        StateRate rate = StateRate.window(TEN, 100_000, 10);
        at(50_000, rate, ACQUIRE, 4)
                .answers(4, 6, 1_050_000, 0)
                .keeps(50_000, 400_000, 0, 0, 0)
                .has(0, 4);
        at(250_000, rate, ACQUIRE, 6)
                .answers(6, 0, 1_050_000, 0)
                .keeps(250_000, 1_000_000, 0, 0, 0)
                .has(0, 4, 2, 6);
        at(260_000, rate, ACQUIRE, 5).answers(0, 0, 1_040_000, 1_040_000).writesNothing();
        at(260_000, rate, ACQUIRE, 1).answers(0, 0, 1_040_000, 840_000).writesNothing();
        at(260_000, rate, REFUND, 5, 250_000)
                .answers(0, 5, 1_040_000, 0)
                .keeps(260_000, 500_000, 0, 0, 0)
                .has(2, 5);
        at(160_000, rate, ACQUIRE, 1)
                .answers(1, 4, 1_040_000, 0)
                .keeps(160_000, 600_000, 0, 100_000, 0)
                .has(2, 6);
        at(1_199_999, rate, ACQUIRE, 5).answers(0, 4, 1, 1).writesNothing();
        at(1_200_000, rate, ACQUIRE, 10).answers(10, 0, 1_100_000, 0).has(13, 10);
    }

    @Test
    void aLog() {
        StateRate rate = StateRate.log(THREE, 1_000_000);
        at(10, rate, ACQUIRE, 2)
                .answers(2, 1, 1_000_000, 0)
                .keeps(10, 2_000_000, 0, 0, 0)
                .has(10, 2, 2);
        at(20, rate, ACQUIRE, 1).answers(1, 0, 1_000_000, 0).has(10, 2, 2, 20, 3, 1);
        at(30, rate, ACQUIRE, 1).answers(0, 0, 999_990, 999_980).writesNothing();
        at(1_000_009, rate, ACQUIRE, 1).answers(0, 0, 11, 1).writesNothing();
        at(1_000_010, rate, ACQUIRE, 2).answers(2, 0, 1_000_000, 0).has(20, 3, 1, 1_000_010, 5, 2);
        at(1_000_015, rate, CHARGE, -1)
                .answers(0, 1, 999_995, 0)
                .keeps(1_000_015, 2_000_000, 0, 0, 3)
                .has(1_000_010, 5, 2);
        at(1_000_010, rate, ACQUIRE, 1).answers(1, 0, 1_000_000, 0).has(1_000_010, 5, 2, 1_000_015, 6, 1);
    }

    @Test
    void aBan() {
        StateRate rate = StateRate.ban(new Even(1, 1_000_000, 2_000_000, 2, false, 1), 10_000_000);
        at(5, rate, ACQUIRE, 2).answers(2, 0, 2_000_000, 0).keeps(5, 2_000_000, 0, 2_000_000, 0);
        at(6, rate, ACQUIRE, 3).answers(0, 0, 1_999_999, -1).writesNothing();
        at(6, rate, ACQUIRE, 1).answers(0, 0, 10_000_000, 10_000_000).keeps(6, 1_999_999, 0, 1_999_999, 10_000_006);
        at(7, rate, ACQUIRE, 1).answers(0, 0, 9_999_999, 9_999_999).writesNothing();
        at(10_000_006, rate, ACQUIRE, 1).answers(1, 1, 1_000_000, 0).keeps(10_000_006, 1_000_000, 0, 1_000_000, 0);
    }

    @Test
    void W6_whatABucketHasUsedIsOwedBesideAWindow() {
        at(0, StateRate.even(List.of(TWO)), ACQUIRE, 3).answers(3, 1, 1_500_000, 0);
        StateRate two = StateRate.fixed(new WindowLimit(1, 100_000, 2), 1_000_000, false);
        at(0, two, ACQUIRE, 1).answers(0, 0, 300_000, 100_000).keeps(0, 300_000, 300_000, 0, 0);
        at(100_000, two, ACQUIRE, 1).answers(1, 0, 1_000_000, 0).keeps(100_000, 300_000, 300_000, 100_000, 1);
    }

    @Test
    void whatALimitByCostOverdrawsIsPaidAfterTheWindow() {
        StateRate rate = StateRate.window(TEN, 100_000, 10).settled(true);
        at(0, rate, ACQUIRE, 25)
                .answers(25, 0, 2_500_000, 0)
                .keeps(0, 2_500_000, 1_000_000, 0, 0)
                .has(0, 25);
        at(1_599_999, rate, ACQUIRE, 1).answers(0, 0, 900_001, 1).writesNothing();
        at(1_600_000, rate, ACQUIRE, 1).answers(1, 0, 1_100_000, 0).keeps(1_600_000, 1_000_000, 1_000_000, 0, 0);
        at(1_600_000, rate, REFUND, 1, Long.MAX_VALUE).answers(0, 1, 900_000, 0);
        at(1_600_000, rate, REFUND, 5, 0).answers(0, 1, 900_000, 0);
    }

    @Test
    void figuresOutOfTheirRangeAreRefused() {
        StateRate rate = StateRate.even(List.of(TWO));
        assertThrows(IllegalArgumentException.class, () -> rate.step(null, ACQUIRE, -1, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> rate.step(null, REFUND, -1, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> rate.step(null, ACQUIRE, 1, 0, -1));
        assertThrows(IllegalArgumentException.class, () -> rate.step(null, ACQUIRE, 1, 0, (1L << 52) + 1));
        assertThrows(IllegalArgumentException.class, () -> new Even(0, 1, 1, 1, false, 1));
        assertThrows(IllegalArgumentException.class, () -> new Even(1, 1, (1L << 52) + 1, 1, false, 1));
        assertThrows(IllegalArgumentException.class, () -> new WindowLimit(1, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> StateRate.even(List.of()));
        assertThrows(IllegalArgumentException.class, () -> StateRate.ban(TWO, 1).settled(false));
    }
}
