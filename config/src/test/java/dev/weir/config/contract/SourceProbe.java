package dev.weir.config.contract;

import static org.awaitility.Awaitility.await;

import dev.weir.config.LimiterRegistry;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.InstanceStatus;
import dev.weir.config.source.Reading;
import dev.weir.named.status.ConfigEvent;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A source read as a registry reads it, on threads of its own, and all that was heard of it. Its time is virtual: it passes
 * only while a test waits, and stands still while a call to the source is under way.
 */
public final class SourceProbe implements AutoCloseable {
    /** How far time moves at once. */
    public static final Duration STEP = Duration.ofMillis(100);

    /** A bound for what never happens: servers and machines may be slow. */
    private static final Duration MOST = Duration.ofMinutes(5);

    private final VirtualTime time;
    private final ConfigSource source;
    private final LimiterRegistry registry;
    private final ExecutorService threads;
    private final AtomicInteger busy = new AtomicInteger();
    private final List<Reading> readings = new CopyOnWriteArrayList<>();
    private final List<Throwable> losses = new CopyOnWriteArrayList<>();
    private final List<Long> attempts = new CopyOnWriteArrayList<>();
    private final AtomicInteger restored = new AtomicInteger();
    private final AtomicLong shortestPause = new AtomicLong(Long.MAX_VALUE);
    private boolean lastFailed;
    private volatile Runnable changed = () -> {};
    private final ReentrantLock oneAtATime = new ReentrantLock();
    private final Queue<InstanceStatus> unwritten = new ConcurrentLinkedQueue<>();
    private volatile @Nullable Throwable failure;

    /** Starts to read the source. */
    public SourceProbe(ConfigSource source, VirtualTime time) {
        this.time = time;
        threads = Executors.newCachedThreadPool(work -> {
            Thread made = new Thread(work, "source-probe");
            made.setDaemon(true);
            return made;
        });
        this.source = source;
        registry = LimiterRegistry.builder()
                .source(new Counted(source))
                .ticker(time)
                .alarm(time)
                .executor(this::execute)
                .startWithin(Duration.ZERO)
                .onEvent(this::heard)
                .build();
    }

    private void execute(Runnable task) {
        busy.incrementAndGet();
        threads.execute(() -> {
            try {
                task.run();
            } finally {
                busy.decrementAndGet();
            }
        });
    }

    private void heard(ConfigEvent event) {
        if (event instanceof ConfigEvent.SourceLost lost) {
            losses.add(new IllegalStateException(lost.cause(), failure));
        } else if (event instanceof ConfigEvent.SourceRestored) {
            restored.incrementAndGet();
        }
    }

    /** The readings that differ from the one before, the first one first. */
    public List<Reading> readings() {
        return readings;
    }

    /** Why the source could not be read, one for each outage. */
    public List<Throwable> losses() {
        return losses;
    }

    /** How many outages have ended. */
    public int restored() {
        return restored.get();
    }

    /** The readings of the clock at which the source was read, or was to be. */
    public List<Long> attempts() {
        return attempts;
    }

    /** The shortest time between an attempt that failed and the next one. */
    public Duration shortestPause() {
        return Duration.ofNanos(shortestPause.get());
    }

    /** Has the source read once more, as if it had told of a change. */
    public void wake() {
        changed.run();
    }

    /** Has the source acknowledge this once, one after the other and not while it reads; the source itself repeats it. */
    public void acknowledge(InstanceStatus status) {
        unwritten.add(status);
        execute(this::acknowledgeNext);
    }

    private void acknowledgeNext() {
        oneAtATime.lock();
        try {
            InstanceStatus next = unwritten.poll();
            if (next != null) {
                source.acknowledge(next);
            }
        } catch (Exception e) {
            failure = e;
        } finally {
            oneAtATime.unlock();
        }
    }

    /** Waits until the last reading has this content. */
    public void awaitContent(byte[] content) {
        awaitThat("a reading of " + content.length + " bytes", () -> lastIs(content));
    }

    /** Waits until the last reading is that there is no document. */
    public void awaitAbsent() {
        awaitThat("an absent reading", () -> !readings.isEmpty() && last().isAbsent());
    }

    /** The last reading. */
    public Reading last() {
        return readings.get(readings.size() - 1);
    }

    private boolean lastIs(byte[] content) {
        return !readings.isEmpty() && !last().isAbsent() && Arrays.equals(last().content(), content);
    }

    /** Lets time pass until the condition holds; fails after five minutes of real time, however much of its own has passed. */
    public void awaitThat(String what, BooleanSupplier condition) {
        awaitThat(what, condition, () -> {
            if (busy.get() == 0) {
                time.advance(STEP);
            }
        });
    }

    /** Lets time pass, also while a call to the source is under way, until the source was once reported to be lost. */
    public void awaitLoss() {
        awaitThat("a loss", () -> !losses.isEmpty(), () -> time.advance(Duration.ofSeconds(1)));
    }

    private void awaitThat(String what, BooleanSupplier condition, Runnable step) {
        try {
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(2))
                    .atMost(MOST)
                    .until(() -> {
                        if (condition.getAsBoolean()) {
                            return true;
                        }
                        step.run();
                        return false;
                    });
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(
                    "no " + what + " after " + attempts.size() + " attempts; readings " + readings.size() + "; losses "
                            + losses,
                    e);
        }
    }

    /** Closes the source and waits until the threads that read it have ended. */
    @Override
    public void close() {
        registry.close();
        threads.shutdown();
        await().alias("the end of the reading thread").atMost(MOST).until(threads::isTerminated);
    }

    private final class Counted implements ConfigSource {
        private final ConfigSource source;

        Counted(ConfigSource source) {
            this.source = source;
        }

        @Override
        public String name() {
            return source.name();
        }

        @Override
        public Reading read() throws Exception {
            oneAtATime.lock();
            try {
                return counted();
            } finally {
                oneAtATime.unlock();
            }
        }

        private Reading counted() throws Exception {
            long now = time.read();
            if (lastFailed) {
                shortestPause.accumulateAndGet(now - attempts.get(attempts.size() - 1), Math::min);
            }
            attempts.add(now);
            lastFailed = true;
            Reading reading;
            try {
                reading = source.read();
                lastFailed = false;
            } catch (Exception e) {
                failure = e;
                throw e;
            }
            if (readings.isEmpty() || !last().isSameAs(reading)) {
                readings.add(reading);
            }
            return reading;
        }

        @Override
        public void watch(Runnable whenChanged) throws Exception {
            changed = whenChanged;
            source.watch(whenChanged);
        }

        @Override
        public Duration readEvery() {
            return source.readEvery();
        }

        @Override
        public List<InstanceStatus> statuses() throws Exception {
            return source.statuses();
        }

        @Override
        public void close() {
            source.close();
        }
    }
}
