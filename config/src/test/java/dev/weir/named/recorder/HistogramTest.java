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
    void aPercentileIsWhereItsBucketEnds() {
        Histogram histogram = new Histogram(List.of(new Bucket(0, 98), new Bucket(9, 1), new Bucket(127, 1)));
        assertEquals(100, histogram.count());
        assertEquals(1_024, histogram.percentileNanos(0));
        assertEquals(1_024, histogram.percentileNanos(0.98));
        assertEquals(5_120, histogram.percentileNanos(0.99));
        assertEquals(Histogram.lowerNanos(127), histogram.percentileNanos(1));
        assertEquals(0, Histogram.EMPTY.percentileNanos(0.5));
        assertEquals(
                "share must be within 0 and 1, was 99.0",
                assertThrows(IllegalArgumentException.class, () -> histogram.percentileNanos(99))
                        .getMessage());
        assertThrows(IllegalArgumentException.class, () -> Histogram.lowerNanos(128));
        assertThrows(IllegalArgumentException.class, () -> Histogram.lowerNanos(-1));
    }
}
