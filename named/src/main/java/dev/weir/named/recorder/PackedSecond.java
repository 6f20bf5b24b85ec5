package dev.weir.named.recorder;

import dev.weir.Rejection.Reason;
import dev.weir.named.recorder.Histogram.Bucket;
import dev.weir.named.recorder.RecordedLoad.KeyShare;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One second of one limit in few bytes, or several that are the same. Not thread-safe: its owner has a lock. */
final class PackedSecond {
    /*
     * In this order: limit, its mean, in flight, waiting, oldest wait, admitted, passed; the reasons of rejections; the
     * histograms and times of what was held and what has waited; how much each key has grown; the least arrivals of a slice; and
     * by how much each slice has more, of which 0 is followed by the number of such slices. Without arrivals, these are left out.
     * A list begins with its length.
     */

    static final int SLICES = 100;

    private static final Reason[] REASONS = Reason.values();
    private static final Object[] NONE = {};

    private final byte[] bytes;
    private final Object[] keys;
    private int times = 1;

    private PackedSecond(byte[] bytes, Object[] keys) {
        this.bytes = bytes;
        this.keys = keys;
    }

    record Gauges(long limit, long inFlight, int waiting, long oldestWaitNanos) {}

    /**
     * A second, in which admitted, passed and refused requests, by reason, have grown by so many; {@code slices} are its arrivals,
     * null = none.
     */
    static PackedSecond of(
            Packed packing,
            Gauges end,
            long meanLimit,
            long[] grown,
            Sample held,
            Sample waits,
            long endSlice,
            List<KeyShare> keys,
            int @Nullable [] slices) {
        packing.put(end.limit())
                .put(meanLimit)
                .put(end.inFlight())
                .put(end.waiting())
                .put(end.oldestWaitNanos());
        packing.put(grown[0]).put(grown[1]);
        packing.put(Arrays.stream(grown).skip(2).filter(refused -> refused > 0).count());
        for (int i = 2; i < grown.length; i++) {
            if (grown[i] > 0) {
                packing.put(i - 2).put(grown[i]);
            }
        }
        held.packInto(packing, endSlice);
        waits.packInto(packing, endSlice);
        packing.put(keys.size());
        keys.forEach(each -> packing.put(each.requests()));
        putSlices(packing, slices);
        return new PackedSecond(
                packing.take(),
                keys.isEmpty() ? NONE : keys.stream().map(KeyShare::key).toArray());
    }

    private static void putSlices(Packed packing, int @Nullable [] slices) {
        if (slices == null) {
            return;
        }
        int least = Arrays.stream(slices).min().orElse(0);
        packing.put(least);
        int many = 0;
        for (int i = 0; i < SLICES; i++) {
            boolean isLeast = slices[i] == least;
            many += isLeast ? 1 : 0;
            if (!isLeast) {
                packing.put(slices[i] - least);
            } else if (i == SLICES - 1 || slices[i + 1] != least) {
                packing.put(0).put(many);
                many = 0;
            }
        }
    }

    /** The number of seconds in a row that it stands for. */
    int times() {
        return times;
    }

    /** True if the next second is the same, as that of an idle limit is: then this one stands for it, too. */
    boolean isRepeatedBy(PackedSecond next) {
        boolean isSame = keys.length == 0 && next.keys.length == 0 && Arrays.equals(bytes, next.bytes);
        times += isSame ? 1 : 0;
        return isSame;
    }

    /** The first second that it stands for is dropped: whether it stands for another one. */
    boolean isLeftAfterOneLess() {
        return --times > 0;
    }

    RecordedSecond figures(Instant at) {
        Packed.Reader in = new Packed.Reader(bytes);
        long limit = in.next();
        skip(in, 1);
        long inFlight = in.next();
        int waiting = (int) in.next();
        long oldestWait = in.next();
        long admitted = in.next();
        long passed = in.next();
        Map<Reason, Long> refused = new EnumMap<>(Reason.class);
        for (long left = in.next(); left > 0; left--) {
            refused.put(REASONS[(int) in.next()], in.next());
        }
        Histogram held = histogram(in);
        skip(in, 2 * in.next());
        Histogram waits = histogram(in);
        return new RecordedSecond(at, limit, inFlight, admitted, passed, refused, waiting, oldestWait, held, waits);
    }

    private static Histogram histogram(Packed.Reader in) {
        int many = (int) in.next();
        if (many == 0) {
            return Histogram.EMPTY;
        }
        List<Bucket> buckets = new ArrayList<>(many);
        for (int i = 0; i < many; i++) {
            buckets.add(new Bucket((int) in.next(), in.next()));
        }
        return new Histogram(buckets);
    }

    private static void skip(Packed.Reader in, long numbers) {
        for (long left = numbers; left > 0; left--) {
            in.next();
        }
    }

    /** The time for which a permit was held, and the slice in which it was granted. */
    record Hold(long slice, long nanos) {}

    /**
     * Reads what a replay needs: sets the arrivals of each slice, from this index on, and adds the holds. The first slice has this
     * number.
     */
    List<KeyShare> load(long first, int[] arrivals, int index, List<Hold> holds) {
        Packed.Reader in = new Packed.Reader(bytes);
        skip(in, 7);
        skip(in, 2 * in.next());
        skip(in, 2 * in.next());
        for (long left = in.next(); left > 0; left--) {
            long nanos = in.next();
            holds.add(new Hold(first + SLICES - in.next(), nanos));
        }
        skip(in, 2 * in.next());
        skip(in, 2 * in.next());
        List<KeyShare> shares = new ArrayList<>();
        for (long left = in.next(), i = 0; i < left; i++) {
            shares.add(new KeyShare(keys[(int) i], in.next()));
        }
        if (in.hasNext()) {
            readSlices(in, arrivals, index);
        }
        return shares;
    }

    private static void readSlices(Packed.Reader in, int[] arrivals, int index) {
        int least = (int) in.next();
        for (int at = index; in.hasNext(); ) {
            int more = (int) in.next();
            for (long left = more == 0 ? in.next() : 1; left > 0; left--) {
                arrivals[at++] = least + more;
            }
        }
    }

    long meanLimit() {
        Packed.Reader in = new Packed.Reader(bytes);
        skip(in, 1);
        return in.next();
    }
}
