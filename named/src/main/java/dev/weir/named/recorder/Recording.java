package dev.weir.named.recorder;

import dev.weir.Ticker;
import dev.weir.engine.LimiterView;
import dev.weir.named.backend.NameTable;
import dev.weir.named.recorder.PackedSecond.Hold;
import dev.weir.named.recorder.RecordedLimit.History;
import dev.weir.named.recorder.RecordedLoad.KeyShare;
import dev.weir.named.status.RegistryObserver;
import dev.weir.queue.QueueView;
import dev.weir.spi.Registration;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** All limits from the first who asked for a recording to the last one. Thread-safe. */
final class Recording implements RegistryObserver, Runnable {
    static final long SLICE_NANOS = 10_000_000;

    private static final long SHORTEST_PAUSE = 1_000_000;
    private static final long KEPT_SLICES = (long) RecordedLimit.SECONDS * PackedSecond.SLICES;

    private final NameTable table;
    private final Ticker ticker;
    private final Map<String, RecordedLimit> limits = new ConcurrentHashMap<>();
    /* Whether others are recorded than those in `all`. */
    private volatile boolean isOther;
    /* These two belong to the thread that ticks. */
    private RecordedLimit[] all = {};
    private final Packed packing = new Packed();
    private volatile long origin;
    /* The time of day at the origin, which is corrected if that clock is set. */
    private volatile Instant began = Instant.EPOCH;
    /* How many slices are recorded. Written by the thread that ticks. */
    private volatile long done;
    private volatile boolean isOpen = true;
    private @Nullable Registration observing;
    private @Nullable Thread thread;

    Recording(NameTable table) {
        this.table = table;
        this.ticker = table.environment().ticker();
    }

    /** Begins. Called once. */
    void start(ThreadFactory threads) {
        origin = ticker.read();
        began = table.environment().clock().instant();
        observing = table.environment().observers().add(this);
        Thread made = threads.newThread(this);
        thread = made;
        made.start();
    }

    void stop() {
        isOpen = false;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
        if (observing != null) {
            observing.close();
        }
    }

    @Override
    public Registration onLimiter(LimiterView limiter) {
        RecordedLimit recorded = recorded(limiter.name());
        Registration watching = recorded.watch(limiter);
        return () -> end(limiter.name(), recorded, watching);
    }

    @Override
    public Registration onQueue(QueueView queue) {
        RecordedLimit recorded = recorded(queue.name());
        Registration watching = recorded.watch(queue);
        return () -> end(queue.name(), recorded, watching);
    }

    private RecordedLimit recorded(String name) {
        RecordedLimit recorded = limits.computeIfAbsent(
                name,
                any -> new RecordedLimit(
                        ago -> Math.floorDiv(ticker.read() - origin - ago, SLICE_NANOS), () -> table.hotKeys(name)));
        isOther = true;
        return recorded;
    }

    private void end(String name, RecordedLimit recorded, Registration watching) {
        watching.close();
        if (recorded.isOver()) {
            limits.remove(name, recorded);
            isOther = true;
        }
    }

    @Override
    public void run() {
        while (isOpen && !table.isClosed()) {
            long pause = SLICE_NANOS;
            try {
                tick();
                pause = origin + (done + 1) * SLICE_NANOS - ticker.read();
            } catch (Throwable ofClock) {
                table.environment().failures().getAndIncrement();
            }
            LockSupport.parkNanos(this, Math.max(SHORTEST_PAUSE, Math.min(SLICE_NANOS, pause)));
            // One that is interrupted would not pause again.
            boolean unused = Thread.interrupted();
        }
    }

    long slices() {
        return done;
    }

    /** Records what has come in the slices that have passed. */
    void tick() {
        long now = (ticker.read() - origin) / SLICE_NANOS;
        if (now <= done) {
            return;
        }
        // When it came is not known any more, and of what is recorded nothing would be left.
        boolean isTooLate = now - done > KEPT_SLICES;
        if (isOther) {
            isOther = false;
            all = limits.values().toArray(RecordedLimit[]::new);
        }
        for (RecordedLimit each : all) {
            try {
                if (isTooLate) {
                    each.restart();
                } else {
                    each.passed(done, now, packing);
                }
            } catch (Throwable t) {
                table.environment().failures().getAndIncrement();
            }
        }
        if (done / PackedSecond.SLICES != now / PackedSecond.SLICES) {
            correct(now);
        }
        done = now;
    }

    private void correct(long now) {
        Instant read = table.environment().clock().instant();
        Duration passed = Duration.ofNanos(now * SLICE_NANOS);
        if (Duration.between(began.plus(passed), read).abs().toMillis() >= 1_000) {
            began = read.minus(passed);
        }
    }

    private Instant end(long second) {
        return began.plusSeconds(second + 1);
    }

    List<RecordedSecond> seconds(String name) {
        RecordedLimit limit = limits.get(name);
        return limit == null ? List.of() : figures(limit.history());
    }

    private List<RecordedSecond> figures(History history) {
        List<RecordedSecond> figures = new ArrayList<>();
        for (PackedSecond each : history.seconds()) {
            figures.add(each.figures(end(history.first() + figures.size())));
        }
        return figures;
    }

    /** The load that a replay needs; null if nothing is recorded of it. */
    @Nullable
    RecordedLoad load(String name) {
        RecordedLimit limit = limits.get(name);
        if (limit == null) {
            return null;
        }
        History history = limit.history();
        if (history.seconds().isEmpty()) {
            return null;
        }
        List<RecordedSecond> figures = figures(history);
        int[] arrivals = new int[figures.size() * PackedSecond.SLICES];
        List<Hold> holds = new ArrayList<>();
        List<List<KeyShare>> keys = new ArrayList<>();
        for (PackedSecond each : history.seconds()) {
            int index = keys.size() * PackedSecond.SLICES;
            keys.add(each.load(index, arrivals, index, holds));
        }
        holds.sort(Comparator.comparingLong(Hold::slice));
        boolean isByKey = keys.stream().anyMatch(each -> !each.isEmpty());
        return new RecordedLoad(
                end(history.first() - 1),
                SLICE_NANOS,
                arrivals,
                holds.stream()
                        .mapToInt(hold -> (int) Math.max(Integer.MIN_VALUE, hold.slice()))
                        .toArray(),
                holds.stream().mapToLong(Hold::nanos).toArray(),
                isByKey ? keys : List.of(),
                history.seconds().stream().mapToLong(PackedSecond::meanLimit).toArray(),
                figures.stream().mapToLong(RecordedSecond::inFlight).toArray(),
                figures.stream().mapToLong(RecordedSecond::admitted).toArray(),
                figures.stream().mapToLong(RecordedSecond::refusedInAll).toArray(),
                limit.isHeavy());
    }
}
