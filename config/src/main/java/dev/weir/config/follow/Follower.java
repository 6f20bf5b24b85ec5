package dev.weir.config.follow;

import dev.weir.config.document.DocumentReader;
import dev.weir.config.document.LimitsDocument;
import dev.weir.config.follow.Offered.InForce;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.InstanceStatus;
import dev.weir.config.source.Reading;
import dev.weir.config.value.ValueStore;
import dev.weir.named.backend.Environment;
import dev.weir.named.backend.NameTable;
import dev.weir.named.plan.Problem;
import dev.weir.named.status.ConfigEvent;
import dev.weir.named.status.ConfigStatus;
import dev.weir.spi.Registration;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A follower of one source into names: it reads documents, decides on them and keeps the last good one. Thread-safe. */
public final class Follower implements AutoCloseable {
    private static final long KEEP_EVERY = Duration.ofSeconds(1).toNanos();

    private final Environment environment;
    private final NameTable limits;
    private final @Nullable ConfigSource source;
    private final @Nullable SourceLoop loop;
    private final @Nullable LastGood lastGood;
    private final ValueStore values;
    private final Reconfigurer reconfigurer;
    private final Executor executor;
    private final Duration startWithin;
    private final long started;
    /* Open once the source has answered or failed. */
    private final CountDownLatch answered = new CountDownLatch(1);
    /* Open once the first document is in force, held or refused. */
    private final CountDownLatch decided = new CountDownLatch(1);
    /* Only the last document matters; the thread that takes it out writes the file. */
    private final AtomicReference<@Nullable List<Reading>> toKeep = new AtomicReference<>();
    private List<Reading> needed = List.of();
    private final AtomicBoolean keeping = new AtomicBoolean();
    private boolean keepFails;
    private volatile String lost = "it has not answered";
    private volatile boolean closed;

    /**
     * A follower at work, once the source has answered or failed, or the time is over. Without a source, code declares all limits;
     * without an executor, threads of its own read and write.
     */
    public Follower(
            NameTable limits,
            DocumentReader reader,
            @Nullable ConfigSource source,
            @Nullable Path lastGood,
            @Nullable String instance,
            Duration startWithin,
            @Nullable Executor executor) {
        environment = limits.environment();
        this.limits = limits;
        this.source = source;
        this.startWithin = startWithin;
        started = environment.ticker().read();
        values = new ValueStore(problem -> tell(new ConfigEvent.Refused("values", "", false, List.of(problem))));
        this.executor = executor == null ? daemonThread("weir-config") : executor;
        String name = source == null ? "" : source.name();
        this.lastGood = lastGood == null ? null : new LastGood(lastGood, name);
        reconfigurer = new Reconfigurer(
                name, InstanceName.of(instance), reader, limits, values, this::decided, this::accepted);
        restore();
        limits.awaiting(this::awaitFirst);
        loop = source == null ? null : loop(source, executor == null ? daemonThread("weir-config-source") : executor);
        if (loop != null) {
            loop.start();
            boolean ignored = await(answered);
        }
    }

    private SourceLoop loop(ConfigSource from, Executor reading) {
        return new SourceLoop(
                from,
                new SourceLoop.Listener() {
                    @Override
                    public void onReading(Reading reading) {
                        reconfigurer.offer(reading);
                    }

                    @Override
                    public void onLost(Throwable cause) {
                        lost = cause.toString();
                        tell(new ConfigEvent.SourceLost(from.name(), cause.toString()));
                        answered.countDown();
                    }

                    @Override
                    public void onRestored(Duration away) {
                        tell(new ConfigEvent.SourceRestored(from.name(), away));
                    }
                },
                environment.alarm(),
                reading,
                environment.ticker(),
                new SplittableRandom());
    }

    private static Executor daemonThread(String name) {
        ThreadPoolExecutor made =
                new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), work -> {
                    Thread thread = new Thread(work, name);
                    thread.setDaemon(true);
                    return thread;
                });
        made.allowCoreThreadTimeOut(true);
        return made;
    }

    private void decided(InstanceStatus row) {
        if (loop != null) {
            decided.countDown();
            answered.countDown();
            loop.acknowledge(row);
        }
    }

    private void accepted(InForce document, boolean faultless) {
        if (lastGood != null) {
            needed = faultless ? List.of(document.reading()) : with(document.reading());
            if (loop != null) {
                toKeep.set(needed);
                keepSoon();
            }
        }
    }

    /* Where a document is wrong in part or has orphans, the last good settings of that part are in those before it. */
    private List<Reading> with(Reading document) {
        List<Reading> all = new ArrayList<>(needed);
        all.removeIf(document::isSameAs);
        all.add(document);
        if (all.size() > LastGood.MAX_DOCUMENTS) {
            all.remove(1);
        }
        return List.copyOf(all);
    }

    private void restore() {
        if (lastGood == null) {
            return;
        }
        try {
            reconfigurer.restore(lastGood.read());
        } catch (IOException e) {
            refuseLastGood("cannot be used: " + e);
        }
    }

    private void refuseLastGood(String rule) {
        Problem problem = new Problem("code", 0, 0, "", "the last good document", rule, "");
        tell(new ConfigEvent.Refused("last good", "", false, List.of(problem)));
    }

    /* The first of several documents within a second is written at once, the last of them a second later. */
    private void keepSoon() {
        if (keeping.compareAndSet(false, true)) {
            try {
                executor.execute(this::keepAndRest);
            } catch (Throwable refused) {
                keeping.set(false);
                cannotKeep(refused);
            }
        }
    }

    private void keepAndRest() {
        try {
            keep();
        } finally {
            Registration unused = environment.alarm().ring(KEEP_EVERY, () -> {
                keeping.set(false);
                if (toKeep.get() != null && !closed) {
                    keepSoon();
                }
            });
        }
    }

    /* What cannot be kept is tried again, and reported when it begins to fail. */
    private void keep() {
        LastGood file = lastGood;
        if (file == null) {
            return;
        }
        Throwable failure = null;
        boolean wasFailing;
        synchronized (file) {
            wasFailing = keepFails;
            List<Reading> documents = toKeep.getAndSet(null);
            if (documents == null) {
                return;
            }
            try {
                file.write(documents);
            } catch (IOException | RuntimeException e) {
                failure = e;
                toKeep.compareAndSet(null, documents);
            }
            keepFails = failure != null;
        }
        if (failure != null && !wasFailing) {
            cannotKeep(failure);
        }
    }

    private void cannotKeep(Throwable why) {
        environment.failures().getAndIncrement();
        refuseLastGood("cannot be kept: " + why);
    }

    private boolean await(CountDownLatch latch) {
        long rest = startWithin.toNanos() - (environment.ticker().read() - started);
        try {
            return rest > 0 ? latch.await(rest, TimeUnit.NANOSECONDS) : latch.getCount() == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * Waits until the first document is decided, for the rest of {@code startWithin}, and throws if it is not by then. Returns why
     * no document is in force; empty = there is one, or no source.
     */
    private String awaitFirst() {
        if (source == null || closed) {
            return "";
        }
        if (!await(decided)) {
            throw new IllegalStateException("the first document has not been read in "
                    + BigDecimal.valueOf(startWithin.toMillis(), 3)
                            .stripTrailingZeros()
                            .toPlainString() + " s: "
                    + source.name() + ", " + lost);
        }
        return reconfigurer.inForce() == null ? problems("; no document is in force:\n") : "";
    }

    private String problems(String prefix) {
        return reconfigurer.problems().stream().map(Problem::toString).collect(Collectors.joining("\n", prefix, ""));
    }

    public ValueStore values() {
        return values;
    }

    private void tell(ConfigEvent event) {
        environment.events().tell(event);
    }

    public ConfigStatus status() {
        InForce present = reconfigurer.inForce();
        LimitsDocument.Header header =
                present == null ? null : present.offered().document().header();
        return new ConfigStatus(
                source == null ? "" : source.name(),
                loop != null && loop.isUp(),
                present == null ? "" : present.version(),
                present == null ? 0 : present.number(),
                header == null ? "" : header.author(),
                header == null ? "" : header.reason(),
                present == null ? Instant.EPOCH : present.since(),
                present == null
                        ? Duration.ZERO
                        : Duration.ofNanos(environment.ticker().read() - present.sinceTicks()),
                present == null ? reconfigurer.problems() : present.problems(),
                limits.orphans(),
                reconfigurer.accepted(),
                reconfigurer.refused(),
                environment.failures().get());
    }

    public void accept(String version) {
        reconfigurer.approve(version);
        if (loop != null) {
            loop.reread();
        }
    }

    /** Throws an {@code IllegalStateException} if the first document has problems, or none could be read. */
    public void checkFirst() {
        if (source == null) {
            return;
        }
        InstanceStatus row = reconfigurer.row();
        String name = source.name();
        if (row == null) {
            throw new IllegalStateException("no document could be read from \"" + name + "\": " + lost);
        }
        if (row.result() != InstanceStatus.Result.HELD
                && !reconfigurer.problems().isEmpty()) {
            throw new IllegalStateException(problems("the first document of \"" + name + "\" has problems:\n"));
        }
    }

    public List<InstanceStatus> rollout() throws Exception {
        return source == null ? List.of() : source.statuses();
    }

    @Override
    public void close() {
        closed = true;
        decided.countDown();
        if (loop != null) {
            loop.close();
        }
        values.close();
        if (lastGood != null) {
            try {
                executor.execute(this::keep);
            } catch (Throwable refused) {
                cannotKeep(refused);
            }
        }
    }
}
