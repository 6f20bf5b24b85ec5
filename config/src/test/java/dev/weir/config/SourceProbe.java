package dev.weir.config;

import static org.awaitility.Awaitility.await;

import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.awaitility.core.ConditionTimeoutException;

/**
 * A source read as a registry reads it, on a thread for it alone, and all that was heard of it. Its time is virtual: it passes
 * only while a test waits, and stands still while a call to the source is under way.
 */
public final class SourceProbe implements AutoCloseable {
    /** How far time moves at once. */
    public static final Duration STEP = Duration.ofMillis(100);

    private final VirtualTime time;
    private final SourceLoop loop;
    private final ExecutorService thread;
    private final AtomicInteger busy = new AtomicInteger();
    private final List<Reading> readings = new CopyOnWriteArrayList<>();
    private final List<Throwable> losses = new CopyOnWriteArrayList<>();
    private final List<Long> attempts = new CopyOnWriteArrayList<>();
    private final AtomicInteger restored = new AtomicInteger();

    /** Starts to read the source. */
    public SourceProbe(ConfigSource source, VirtualTime time) {
        this.time = time;
        thread = Executors.newSingleThreadExecutor(work -> {
            Thread made = new Thread(work, "source-probe");
            made.setDaemon(true);
            return made;
        });
        loop = new SourceLoop(new Counted(source), new Heard(), time, this::execute, time, new Random(1));
        loop.start();
    }

    private void execute(Runnable task) {
        busy.incrementAndGet();
        thread.execute(() -> {
            try {
                task.run();
            } finally {
                busy.decrementAndGet();
            }
        });
    }

    /** The readings delivered, the first one first. */
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

    /** As {@link SourceLoop#wake}. */
    public void wake() {
        loop.wake();
    }

    /** As {@link SourceLoop#acknowledge}. */
    public void acknowledge(InstanceStatus status) {
        loop.acknowledge(status);
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

    /** Lets time pass until the condition holds; fails after 30 seconds of real time. */
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
                    .atMost(Duration.ofSeconds(30))
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

    /** Closes the source and waits until the thread that read it has ended. */
    @Override
    public void close() {
        loop.close();
        thread.shutdown();
        await().alias("the end of the reading thread")
                .atMost(Duration.ofSeconds(30))
                .until(thread::isTerminated);
    }

    private final class Heard implements SourceLoop.Listener {
        @Override
        public void onReading(Reading reading) {
            readings.add(reading);
        }

        @Override
        public void onLost(Throwable why) {
            losses.add(why);
        }

        @Override
        public void onRestored(Duration away) {
            restored.incrementAndGet();
        }
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
            attempts.add(time.read());
            return source.read();
        }

        @Override
        public void watch(Runnable changed) throws Exception {
            source.watch(changed);
        }

        @Override
        public Duration readEvery() {
            return source.readEvery();
        }

        @Override
        public boolean acknowledges() {
            return source.acknowledges();
        }

        @Override
        public void acknowledge(InstanceStatus status) throws Exception {
            source.acknowledge(status);
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
