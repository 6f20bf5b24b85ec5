package dev.weir.named.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.weir.testkit.Seed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("property")
class PackedTest {
    @ParameterizedTest
    @CsvSource({
        "0, 1",
        "127, 1",
        "128, 2",
        "16383, 2",
        "16384, 3",
        "9223372036854775807, 9",
        "-1, 10",
        "-9223372036854775808, 10"
    })
    void sevenBitsAreInAByte(long number, int bytes) {
        byte[] packed = new Packed().put(number).take();
        assertEquals(bytes, packed.length);
        assertEquals(number, new Packed.Reader(packed).next());
    }

    @Test
    void whatWasPutIsReadInOrderAndTheNextBeginsEmpty() {
        Packed packing = new Packed();
        Seed.forAll(100, random -> {
            long[] numbers = random.longs(random.nextInt(300))
                    .map(each -> each >> (each & 63))
                    .toArray();
            for (long each : numbers) {
                packing.put(each);
            }
            Packed.Reader in = new Packed.Reader(packing.take());
            for (long each : numbers) {
                assertEquals(each, in.next());
            }
            assertFalse(in.hasNext());
        });
    }
}
