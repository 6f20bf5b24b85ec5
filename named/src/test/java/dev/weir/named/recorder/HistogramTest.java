package dev.weir.named.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.named.recorder.Histogram.Bucket;
import dev.weir.testkit.Seed;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("property")
class HistogramTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1023, 0",
        "1024, 1",
        "1279, 1",
        "1280, 2",
        "1536, 3",
        "1792, 4",
        "2047, 4",
        "2048, 5",
        "4096, 9",
        "1000000, 40",
        "4398046511103, 127",
        "9223372036854775807, 127"
    })
    void fourBucketsDoubleTheTime(long nanos, int bucket) {
        assertEquals(bucket, Histogram.bucketOf(nanos));
    }

    @Test
    void eachTimeIsWithinItsBucketAndBucketsAreNarrow() {
        Seed.forAll(1_000, random -> {
            long nanos = random.nextLong(1L << random.nextInt(1, 42));
            int bucket = Histogram.bucketOf(nanos);
            assertTrue(Histogram.lowerNanos(bucket) <= nanos);
            if (bucket < Histogram.SIZE - 1) {
                long next = Histogram.lowerNanos(bucket + 1);
                assertTrue(nanos < next);
                assertTrue(bucket == 0 || next * 4 <= Histogram.lowerNanos(bucket) * 5);
            }
        });
    }

    @Test
    void aBucketHasAnIndexAndTheTimesOfAllBucketsAreCounted() {
        Histogram histogram = new Histogram(List.of(new Bucket(0, 98), new Bucket(9, 1), new Bucket(127, 1)));
        assertEquals(100, histogram.count());
        assertEquals(0, Histogram.EMPTY.count());
        assertEquals(
                "index must be within 0 and 127, was 128",
                assertThrows(IllegalArgumentException.class, () -> Histogram.lowerNanos(128))
                        .getMessage());
        assertThrows(IllegalArgumentException.class, () -> Histogram.lowerNanos(-1));
    }
}
