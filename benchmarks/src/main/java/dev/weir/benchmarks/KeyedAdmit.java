package dev.weir.benchmarks;

import static dev.weir.benchmarks.Expect.admitted;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import dev.weir.Decision;
import dev.weir.Limiter;
import dev.weir.Request;
import dev.weir.algorithms.TokenBucket;
import dev.weir.keyed.Keyed;
import io.github.bucket4j.Bucket;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** One permit from the rate of one key of a million, all of them live, some asked for far oftener than others. */
public class KeyedAdmit {
    private static final int KEYS = 1_000_000;
    private static final int DRAWS = 1 << 21;
    private static final long PLENTY = 1_000_000_000;
    private static final Duration SECOND = Duration.ofSeconds(1);

    @State(Scope.Benchmark)
    public static class Keys {
        final String[] names =
                IntStream.range(0, KEYS).mapToObj(i -> "user-" + i).toArray(String[]::new);
        final int[] draws = Zipf.draws(KEYS, DRAWS, 20261121);
    }

    /** Where a thread stands in the draws. */
    @State(Scope.Thread)
    public static class Cursor {
        private int at = ThreadLocalRandom.current().nextInt(DRAWS);

        int next(Keys keys) {
            at = (at + 1) & (DRAWS - 1);
            return keys.draws[at];
        }
    }

    @State(Scope.Benchmark)
    public static class Weir {
        final Limiter limiter = Mixed.limiter(Keyed.of(TokenBucket.of(PLENTY, SECOND), 2 * KEYS));

        public Weir() {
            IntStream.range(0, KEYS).forEach(i -> limiter.tryAcquire(Request.forKey("user-" + i)));
        }
    }

    /** The request is made anew each time, as a server would from what its client sent. */
    @Benchmark
    public Decision weir(Weir its, Keys keys, Cursor cursor) {
        return admitted(its.limiter.tryAcquire(Request.forKey(keys.names[cursor.next(keys)])));
    }

    @State(Scope.Benchmark)
    public static class Bucket4jInCaffeine {
        final LoadingCache<String, Bucket> buckets =
                Caffeine.newBuilder().maximumSize(2 * KEYS).build(key -> RatePeers.bucketOfBucket4j(PLENTY, SECOND));

        public Bucket4jInCaffeine() {
            RatePeers.exerciseBucket4j();
            IntStream.range(0, KEYS).forEach(i -> buckets.get("user-" + i));
        }
    }

    @Benchmark
    public boolean bucket4jInCaffeine(Bucket4jInCaffeine its, Keys keys, Cursor cursor) {
        return admitted(its.buckets.get(keys.names[cursor.next(keys)]).tryConsume(1));
    }

    @State(Scope.Benchmark)
    public static class Words {
        final AtomicLongArray words = new AtomicLongArray(KEYS);
    }

    /** The key's word is found by its number, as no keyed limiter can. */
    @Benchmark
    public long floorClockAndCas(Words its, Keys keys, Cursor cursor) {
        int key = cursor.next(keys);
        long now = System.nanoTime();
        long seen = its.words.get(key);
        while (!its.words.compareAndSet(key, seen, seen + 1)) {
            seen = its.words.get(key);
        }
        return now + seen;
    }
}
