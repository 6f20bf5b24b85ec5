package dev.weir.config.value;

import dev.weir.Ticker;
import dev.weir.internal.Workers;
import dev.weir.named.plan.Problem;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The store behind the {@link ConfigValues} of one registry: it is told the section {@code values} of each accepted document.
 * Values with listeners are kept; the others only as long as somebody else holds them. Thread-safe, but {@link #apply} is called
 * by one thread at a time.
 */
public final class ValueStore implements AutoCloseable {
    private final Consumer<? super Problem> reports;
    private final Set<ConfigValue<?>> listenedTo = ConcurrentHashMap.newKeySet();
    private final Set<ConfigValue<?>> values =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
    /* Listeners are called by one thread after the other, and by one more for each that does not return. */
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            5,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            work -> Workers.thread("weir-config-values", work));
    private final Ticker ticker;
    private final Duration limit;
    private volatile ValueDocument document = ValueDocument.NONE;

    /**
     * The change of one key: another text, or a key that is new or gone.
     *
     * @param key the key, with the index of an element of a list: {@code "mail.hosts[0]"}
     * @param wasPresent whether the document before had it
     * @param isPresent whether this document has it
     */
    public record Change(String key, boolean wasPresent, boolean isPresent) {}

    /**
     * A store before the first document.
     *
     * @param reports told of problems that appear outside {@link #apply}, by any thread; should not throw
     */
    public ValueStore(Consumer<? super Problem> reports) {
        this(reports, Ticker.system(), Duration.ofSeconds(1));
    }

    /** Waits so long for the listeners of one document, all together; then, a twentieth of it for each. */
    ValueStore(Consumer<? super Problem> reports, Ticker ticker, Duration limit) {
        this.reports = reports;
        this.ticker = ticker;
        this.limit = limit;
    }

    /** A value of the document in force; if that is bad, it is reported, and the value is the one before, or the default. */
    <T> ConfigValue<T> value(String key, Function<String, ? extends T> conversion, T orElse) {
        ConfigValue<T> value = new ConfigValue<>(key, conversion, orElse, listenedTo);
        values.add(value);
        ValueDocument current = document;
        current.earlier().forEach(value::follow);
        value.follow(current);
        value.problem(current).ifPresent(reports);
        return value;
    }

    /** Tells {@link #reports} that a listener has refused the value in force. */
    void report(ConfigValue<?> value, ValueListener<?> listener) {
        problemOf(value, listener, document).ifPresent(reports);
    }

    /**
     * Puts the values of an accepted, whole document in force: converts and checks all, publishes all, and tells the listeners
     * of what changed. A value that is bad or refused is a problem, again with each document, until there is a good one. Waits a
     * second at most for listeners that do not return; what these refuse later is reported then.
     *
     * @param texts all values of the document, by key; at those that cannot be read, the texts before
     * @param version names the document in problems
     * @param problems called by this thread before this returns
     * @return the keys that the document has changed, in their order
     */
    public List<Change> apply(Map<String, String> texts, String version, Consumer<? super Problem> problems) {
        ValueDocument before = document;
        ValueDocument next = document.next(texts, version);
        document = next;
        List<ConfigValue<?>> all =
                all().stream().sorted(Comparator.comparing(ConfigValue::key)).toList();
        all.forEach(value -> value.follow(next));
        all.forEach(value -> value.problem(next).ifPresent(problems));
        tell(all, next, problems);
        return changes(before.values(), next.values());
    }

    private static List<Change> changes(Map<String, String> before, Map<String, String> next) {
        Set<String> keys = new TreeSet<>(next.keySet());
        keys.addAll(before.keySet());
        return keys.stream()
                .filter(key -> !Objects.equals(next.get(key), before.get(key)))
                .map(key -> new Change(key, before.containsKey(key), next.containsKey(key)))
                .toList();
    }

    private Set<ConfigValue<?>> all() {
        Set<ConfigValue<?>> all = new HashSet<>(listenedTo);
        synchronized (values) {
            all.addAll(values);
        }
        return all;
    }

    private void tell(List<ConfigValue<?>> all, ValueDocument next, Consumer<? super Problem> problems) {
        long start = ticker.read();
        for (ConfigValue<?> value : all) {
            for (ValueListener<?> listener : value.listeners()) {
                Runnable turn = listener.turn();
                if (turn != null && !hasEnded(turn, start, () -> report(value, listener))) {
                    problems.accept(value.problem(
                            next, "must be taken at once by " + listener.name() + ", which has not returned"));
                } else {
                    problemOf(value, listener, next).ifPresent(problems);
                }
            }
        }
    }

    /* Whether the turn has ended. If not, `late` is called when it has. */
    private boolean hasEnded(Runnable turn, long start, Runnable late) {
        if (threads.isShutdown()) {
            return true;
        }
        CompletableFuture<Void> run = CompletableFuture.runAsync(turn, threads);
        long left = limit.toNanos() - (ticker.read() - start);
        try {
            run.get(Math.max(limit.toNanos() / 20, left), TimeUnit.NANOSECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException e) {
            // It is reported as late.
        } catch (ExecutionException e) {
            throw new AssertionError("a turn does not throw", e);
        }
        CompletableFuture<Void> unused = run.thenRun(late);
        return false;
    }

    /* None if the document's own value could not be offered. */
    private static Optional<Problem> problemOf(
            ConfigValue<?> value, ValueListener<?> listener, ValueDocument document) {
        return value.problem(document).isPresent()
                ? Optional.empty()
                : listener.brokenRule().map(rule -> value.problem(document, rule));
    }

    /** The number of threads, of which one or two were at work a moment ago. */
    int threads() {
        return threads.getPoolSize();
    }

    int listened() {
        return listenedTo.size();
    }

    /** Interrupts listeners that run, and ends the threads. Values keep what they have. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
