package dev.weir.named.recorder;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.engine.Counts;
import dev.weir.engine.LimiterView;
import dev.weir.engine.LimiterView.Counting;
import dev.weir.engine.Snapshot;
import dev.weir.keyed.HeavyHitters;
import dev.weir.named.recorder.PackedSecond.Gauges;
import dev.weir.named.recorder.RecordedLoad.KeyShare;
import dev.weir.queue.QueueObserver;
import dev.weir.queue.QueueSnapshot;
import dev.weir.queue.QueueView;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Registration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The recording of one limiter and its queue. Thread-safe. */
final class RecordedLimit {
    /*
     * A request has come once it is granted, refused or waiting. The three are not read at one instant: one that goes on from waiting
     * to granted meanwhile may be seen twice or not at all, and is put right by the next tick, because only what exceeds the largest
     * sum so far has come.
     *
     * What happens to requests is counted by the limiter, and only a sample of times is taken on their way. The rest is done by the
     * thread that ticks, to which the fields below belong unless they say otherwise. With 500 limits a tick is mostly waiting for
     * memory that other processors have written. So it touches little of a limit to which nothing has come, and without a queue it
     * reads the counts of those reasons only for which the limit may refuse or has refused; each second it reads all.
     */

    static final int SECONDS = 300;

    /* After so many slices there is room again in the samples, which requests write to, so that reading them takes long. */
    private static final int REFILLED = 4;

    private static final int ADMITTED = 0;
    private static final int PASSED = 1;
    private static final int REFUSED = 2;
    private static final Reason[] REASONS = Reason.values();
    private static final long[] NOTHING = {};
    private static final int ALL = (1 << REASONS.length) - 1;

    private final Supplier<@Nullable HeavyHitters> keys;
    private final Sample held = new Sample(true);
    private final Sample waits = new Sample(false);
    private final Holds holds;
    /* Written by the thread that tells of limiters and queues. */
    private volatile @Nullable LimiterView limiter;
    private volatile @Nullable Counts counts;
    private volatile @Nullable Waiting queue;
    /* What there was when counting began is set before the limiter is published. */
    private long seen;
    private long[] before = {};
    /* A bit for each reason that is read in each tick, by its ordinal. */
    private int occurring = ALL;
    private @Nullable Waiting known;
    private int @Nullable [] slices;
    /* How many have come in them. */
    private long arrived;
    private @Nullable KeyGrowth growth;
    private Gauges gauges = new Gauges(0, 0, 0, 0);
    private final MeanLimit meanLimit = new MeanLimit();

    /* Those that are the same, one after the other, are there once. */
    @GuardedBy("this")
    private final Deque<PackedSecond> seconds = new ArrayDeque<>(1);

    @GuardedBy("this")
    private long last = -1;

    @GuardedBy("this")
    private int size;

    /* With those who waited when it was first seen. */
    private record Waiting(QueueView view, int already) {}

    /** The mean limit in the slices that had requests, or in which a second ended. */
    private static final class MeanLimit {
        private double sum;
        private int count;

        void add(long limit) {
            if (limit > 0) {
                sum += limit;
                count++;
            }
        }

        long take(long otherwise) {
            long mean = count == 0 ? otherwise : Math.round(sum / count);
            sum = 0;
            count = 0;
            return mean;
        }
    }

    /** The seconds that are kept, of which the first has this number. */
    record History(long first, List<PackedSecond> seconds) {}

    /** Nothing yet; {@code sliceAgo} is the slice in which it was so many nanoseconds before now. */
    RecordedLimit(LongUnaryOperator sliceAgo, Supplier<@Nullable HeavyHitters> keys) {
        this.keys = keys;
        holds = new Holds(held, sliceAgo);
    }

    /** Watches this limiter until the registration is closed. */
    Registration watch(LimiterView view) {
        Counting counting = view.count();
        Counts all = counting.counts();
        before = totals(all);
        seen = decided(all);
        limiter = view;
        counts = all;
        Registration observing = view.observe(holds);
        return () -> {
            counts = null;
            limiter = null;
            observing.close();
            counting.close();
        };
    }

    Registration watch(QueueView view) {
        queue = new Waiting(view, view.length());
        Registration observing = view.observe(new Waits(waits));
        return () -> {
            queue = null;
            observing.close();
        };
    }

    boolean isOver() {
        return limiter == null && queue == null;
    }

    /** The observer of a limiter, which times one permit in 16, and knows the limit. */
    private static final class Holds implements LimiterObserver {
        private final Sample sample;
        private final LongUnaryOperator sliceAgo;
        /* 0 = not known yet. A change that is told while it is read is known a second later. */
        volatile long limit;
        volatile boolean isHeavy;

        Holds(Sample sample, LongUnaryOperator sliceAgo) {
            this.sample = sample;
            this.sliceAgo = sliceAgo;
        }

        @Override
        public boolean timesNext() {
            return sample.chooses();
        }

        @Override
        public void onReleased(Request request, Outcome outcome, long heldNanos) {
            if (heldNanos >= 0 && sample.hasRoom()) {
                sample.add(heldNanos, sliceAgo.applyAsLong(heldNanos));
                if (request.amount() > 1) {
                    isHeavy = true;
                }
            }
        }

        @Override
        public void onLimitChanged(long from, long to, String why) {
            limit = to;
        }
    }

    private record Waits(Sample sample) implements QueueObserver {
        @Override
        public void onWaited(Request request, Decision decision, long waitedNanos) {
            sample.add(waitedNanos, 0);
        }
    }

    /** True if one of the sampled permits was for more than one. */
    boolean isHeavy() {
        return holds.isHeavy;
    }

    /** The slices from this one to before that one have passed: what has come is spread over them. */
    void passed(long from, long to, Packed packing) {
        Counts all = counts;
        if (all == null) {
            return;
        }
        long came = came(all);
        long ends = to / PackedSecond.SLICES - from / PackedSecond.SLICES;
        if (came == 0 && ends == 0) {
            return;
        }
        if (ends > 0 || to / REFILLED != from / REFILLED) {
            refill();
        }
        long[] grown = ends == 0 ? NOTHING : grown(all);
        long arrivals = arrived + came;
        long limit = holds.limit;
        for (long slice = from; slice < to; slice++) {
            meanLimit.add(limit);
            add((int) (slice % PackedSecond.SLICES), part(came, slice - from, to - from));
            if ((slice + 1) % PackedSecond.SLICES == 0) {
                long second = slice / PackedSecond.SLICES;
                long[] part = taken(grown, arrived, arrivals, to / PackedSecond.SLICES - second);
                arrivals -= arrived;
                end(second, part, packing);
            }
        }
        for (int i = 0; i < grown.length; i++) {
            before[i] -= grown[i];
        }
    }

    /* The figures of a second: what all have grown by is spread as the requests are, or over the seconds left if there are none. */
    private static long[] taken(long[] grown, long arrived, long of, long seconds) {
        long[] part = new long[grown.length];
        for (int i = 0; i < part.length; i++) {
            part[i] = of == 0 ? grown[i] / seconds : Math.round(grown[i] * (double) arrived / of);
            grown[i] -= part[i];
        }
        return part;
    }

    void restart() {
        Counts all = counts;
        if (all == null) {
            return;
        }
        came(all);
        grown(all);
        shares();
        slices = null;
        arrived = 0;
        meanLimit.take(0);
        held.clear();
        waits.clear();
        refill();
        synchronized (this) {
            seconds.clear();
            size = 0;
        }
    }

    private void refill() {
        held.refill();
        if (known != null) {
            waits.refill();
        }
    }

    private long came(Counts all) {
        Waiting waiting = queue;
        if (waiting != known) {
            occurring = ALL;
        }
        long now = decided(all) + (waiting == null ? 0 : waiting.view().length());
        if (waiting != known) {
            // Those who waited in the queue before are refused, or asked for elsewhere.
            seen = Math.min(now, seen + (waiting == null ? 0 : waiting.already()));
            known = waiting;
        }
        long came = Math.max(0, now - seen);
        seen += came;
        return came;
    }

    private long decided(Counts all) {
        long sum = all.admitted();
        for (int left = occurring; left != 0; left &= left - 1) {
            sum += all.refused(REASONS[Integer.numberOfTrailingZeros(left)]);
        }
        return sum;
    }

    private static long[] totals(Counts all) {
        long[] totals = new long[REFUSED + REASONS.length];
        totals[ADMITTED] = all.admitted();
        totals[PASSED] = all.passed();
        for (Reason reason : REASONS) {
            totals[REFUSED + reason.ordinal()] = all.refused(reason);
        }
        return totals;
    }

    private static long part(long whole, long index, long of) {
        return whole * (index + 1) / of - whole * index / of;
    }

    private void add(int slice, long came) {
        if (came > 0) {
            int[] present = slices;
            if (present == null) {
                present = new int[PackedSecond.SLICES];
                slices = present;
            }
            present[slice] = (int) Math.min(Integer.MAX_VALUE, present[slice] + came);
            arrived += came;
        }
    }

    private long[] grown(Counts all) {
        long[] now = totals(all);
        long[] grown = new long[now.length];
        for (int i = 0; i < now.length; i++) {
            grown[i] = now[i] - before[i];
        }
        before = now;
        LimiterView view = limiter;
        try {
            if (view != null) {
                gauges = gauges(view.snapshot(), queue);
                holds.limit = gauges.limit();
                occurring = known == null ? occurring(view.reasons(), now) : ALL;
            }
        } catch (Throwable ofStrategy) {
            // The figures of the second before stay.
        }
        return grown;
    }

    private static int occurring(Set<Reason> possible, long[] totals) {
        int bits = 0;
        for (Reason reason : REASONS) {
            boolean occurs = possible.contains(reason) || totals[REFUSED + reason.ordinal()] > 0;
            bits |= occurs ? 1 << reason.ordinal() : 0;
        }
        return bits;
    }

    private static Gauges gauges(Snapshot now, @Nullable Waiting waiting) {
        QueueSnapshot queue = waiting == null || waiting.view().length() == 0
                ? null
                : waiting.view().snapshot();
        return new Gauges(
                now.limit(),
                now.inFlight(),
                queue == null ? 0 : queue.length(),
                queue == null ? 0 : queue.oldestAgeNanos());
    }

    private void end(long second, long[] part, Packed packing) {
        long end = (second + 1) * PackedSecond.SLICES;
        List<KeyShare> shares = slices == null && growth != null ? List.of() : shares();
        store(
                second,
                PackedSecond.of(
                        packing, gauges, meanLimit.take(gauges.limit()), part, held, waits, end, shares, slices));
        slices = null;
        arrived = 0;
    }

    private List<KeyShare> shares() {
        HeavyHitters present = keys.get();
        if (present == null) {
            return List.of();
        }
        if (growth == null) {
            growth = new KeyGrowth();
        }
        return growth.next(present);
    }

    private synchronized void store(long second, PackedSecond packed) {
        if (second != last + 1) {
            seconds.clear();
            size = 0;
        }
        last = second;
        PackedSecond previous = seconds.peekLast();
        if (previous == null || !previous.isRepeatedBy(packed)) {
            seconds.addLast(packed);
        }
        size++;
        if (size > SECONDS) {
            size--;
            if (!seconds.getFirst().isLeftAfterOneLess()) {
                seconds.removeFirst();
            }
        }
    }

    synchronized History history() {
        List<PackedSecond> kept = new ArrayList<>(size);
        seconds.forEach(each -> kept.addAll(Collections.nCopies(each.times(), each)));
        return new History(last - size + 1, kept);
    }
}
