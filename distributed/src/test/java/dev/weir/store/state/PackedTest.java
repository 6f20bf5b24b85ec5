package dev.weir.store.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.weir.store.state.StateRate.Even;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The format of states, byte by byte: stores of other versions and the scripts of Redis read it too. */
class PackedTest {
    private static final long AT = 1_000_000;
    private static final StateRate TWO_A_SECOND = StateRate.even(List.of(new Even(1, 500_000, 2_000_000, 4, false, 2)));

    private static byte[] bytes(int rule, int rates, double... numbers) {
        ByteBuffer bytes = ByteBuffer.allocate(4 + numbers.length * Double.BYTES)
                .put(new byte[] {'W', 2, (byte) rule, (byte) rates});
        Arrays.stream(numbers).forEach(bytes::putDouble);
        return bytes.array();
    }

    @Test
    void aBucketIsSixtyEightBytes() {
        byte[] state = TWO_A_SECOND.step(null, Operation.ACQUIRE, 3, 0, AT).state();
        String expected = "57020101" + "3ff0000000000000" + "411e848000000000" + "413e848000000000"
                + "4010000000000000" + "0000000000000000" + "4000000000000000"
                + "412e848000000000" + "4136e36000000000";
        assertEquals(expected, HexFormat.of().formatHex(Objects.requireNonNull(state)));
    }

    @Test
    void eachRuleHasItsShape() {
        assertNotNull(Packed.read(bytes(1, 1, 1, 1, 1, 1, 0, 1, 9, 9)));
        assertNotNull(Packed.read(bytes(1, 1, 1, 1, 1, 1, 0, 1, 9, 9, 0, 9)));
        assertNotNull(Packed.read(bytes(1, 2, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 9, 1, 1, 1, 2, 2, 2)));
        assertNotNull(Packed.read(bytes(2, 0, 1, 1, 1, 1, 5, 9, 1, 0, 1, 0)));
        assertNotNull(Packed.read(bytes(3, 0, 1, 1, 1, 1, 1, 9, 1, 0, 1, 1)));
        assertNotNull(Packed.read(bytes(4, 0, 1, 1, 1, 1, 1, 9, 1, 0, 0, 0)));
        assertNotNull(Packed.read(bytes(4, 0, 1, 1, 1, 1, 1, 9, 1, 0, 0, 0, 7, 1, 8, 1)));
        assertNotNull(Packed.read(bytes(5, 0, 1, 1, 1, 1, 9, 1, 0, 0, 0, 7, 1, 1, 8, 3, 2)));
    }

    @Test
    void D10_anythingElseIsNoState() {
        for (byte[] junk : List.of(
                new byte[0],
                new byte[] {'W'},
                "17".getBytes(java.nio.charset.StandardCharsets.US_ASCII),
                "weir1 even 1,1,1,1,0,1 1,1".getBytes(java.nio.charset.StandardCharsets.US_ASCII),
                bytes(0, 0, 1, 1),
                bytes(6, 0, 1, 1),
                bytes(1, 0, 1, 1, 1, 1, 0, 1, 9, 9),
                bytes(1, 9, new double[9 * 9 + 1]),
                bytes(1, 1, 1, 1, 1, 1, 0, 1, 9),
                bytes(1, 1, 1, 1, 1, 1, 0, 1, 9, 9, 0),
                bytes(1, 1, 0, 1, 1, 1, 0, 1, 9, 9),
                bytes(1, 1, 1, 0, 1, 1, 0, 1, 9, 9),
                bytes(1, 1, 1, 1, 1, 1, 0, 1, 9, -1),
                bytes(1, 1, 1, 1, 1, 1, 0, 1, 9, 0.5),
                bytes(1, 1, 1, 1, 1, 1, 0, 1, 9, Double.NaN),
                bytes(1, 1, 1, 1, 1, 1, 0, 1, 9, Double.POSITIVE_INFINITY),
                bytes(1, 1, 1, 1, 1, 1, 0, 1, 9, 0x1p52 + 1),
                bytes(2, 1, 1, 1, 1, 1, 5, 9, 1, 0, 1, 0),
                bytes(4, 0, 1, 1, 1, 1, 1, 9, 1, 0, 0, 0, 7),
                bytes(4, 0, 1, 1, 1, 1, 1, 9, 1, 0, 0, 0, 7, 1, 7, 1),
                bytes(4, 0, 1, 1, 1, 1, 1, 9, 1, 0, 0, 0, 8, 1, 7, 1),
                bytes(5, 0, 1, 1, 1, 1, 9, 1, 0, 0, 0, 7, 1, 1, 8, 3),
                bytes(5, 0, 1, 1, 1, 1, 9, 1, 0, 0, 0, 7, 1, 1, 8, 2, 2),
                bytes(5, 0, 1, 1, 1, 1, 9, 1, 0, 0, 0, 7, 1, 0))) {
            assertNull(Packed.read(junk), () -> HexFormat.of().formatHex(junk));
            Step step = TWO_A_SECOND.step(junk, Operation.ACQUIRE, 3, 0, AT);
            assertEquals(3, step.reply().granted());
            assertEquals(1, step.reply().healed());
            assertArrayEquals(
                    TWO_A_SECOND.step(null, Operation.ACQUIRE, 3, 0, AT).state(), step.state());
            Step refused = TWO_A_SECOND.step(junk, Operation.ACQUIRE, 5, 0, AT);
            assertNull(refused.state());
            assertEquals(0, refused.reply().healed());
        }
    }

    @Test
    void aHeadHasTheParametersOfItsRule() {
        byte[] head = TWO_A_SECOND.head();
        assertArrayEquals(bytes(1, 1, 1, 500_000, 2_000_000, 4, 0, 2), head);
        assertEquals(List.of(1L, 500_000L, 2_000_000L, 4L, 0L, 2L), TWO_A_SECOND.parameters());
        StateRate ban = StateRate.ban(TWO_A_SECOND.rates().get(0), 7);
        assertArrayEquals(bytes(2, 0, 1, 500_000, 2_000_000, 4, 7), ban.head());
    }
}
