package dev.weir.console;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Ticker;
import dev.weir.config.LimiterRegistry;
import dev.weir.console.LimitRow.Reading;
import dev.weir.named.status.ConfigStatus;
import dev.weir.named.status.LimitStatus;
import dev.weir.named.status.TimedEvent;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The state of a registry at its last sample, and what has changed since each of the samples before, so that one sample serves all
 * pages. Thread-safe.
 */
final class Board {
    private static final int GONE = 1_000;

    private final LimiterRegistry registry;
    private final CountedParts parts;
    private final Ticker ticker;
    private final InstantSource clock;
    private final String process;

    @GuardedBy("this")
    private final Map<String, LimitRow> rows = new TreeMap<>();

    /* The oldest first. */
    @GuardedBy("this")
    private final Deque<Dated> gone = new ArrayDeque<>();

    @GuardedBy("this")
    private final List<Dated> events = new ArrayList<>();

    @GuardedBy("this")
    private @Nullable TimedEvent lastEvent;

    @GuardedBy("this")
    private Dated source = new Dated(0, "{}");

    /* Samples before this one are not known any more. */
    @GuardedBy("this")
    private long oldest;

    @GuardedBy("this")
    private long id;

    /** A text, with the sample that brought it. */
    private record Dated(long at, String text) {}

    /** The news of one sample, or the whole board as a page is told of it. */
    record Told(long id, boolean isWhole, String json) {}

    Board(LimiterRegistry registry, CountedParts parts, Ticker ticker, InstantSource clock, String process) {
        this.registry = registry;
        this.parts = parts;
        this.ticker = ticker;
        this.clock = clock;
        this.process = process;
        // Higher than those of a console before a restart, which a page may still know.
        id = clock.instant().toEpochMilli();
        oldest = id + 1;
    }

    /** Reads the registry. One thread does so. */
    void sample() {
        Map<String, @Nullable Reading> read = new HashMap<>();
        for (String name : registry.names().names()) {
            read.put(name, read(name));
        }
        ConfigStatus status = registry.status();
        List<TimedEvent> all = registry.names().events();
        synchronized (this) {
            id++;
            addRows(read);
            String now = source(status);
            if (!now.equals(source.text)) {
                source = new Dated(id, now);
            }
            addEvents(all);
        }
    }

    /* Null = it is just being removed, or code of others threw, also an error: then its line stays as it is. */
    private @Nullable Reading read(String name) {
        try {
            LimitStatus status = registry.limiter(name).status();
            boolean holds = parts.holds(status);
            String kind = LimitRow.kind(status, holds, parts.executor(name) != null);
            return new Reading(ticker.read(), status, parts.totals(name), holds, kind);
        } catch (Throwable t) {
            return null;
        }
    }

    @GuardedBy("this")
    private void addRows(Map<String, @Nullable Reading> read) {
        for (Map.Entry<String, @Nullable Reading> each : read.entrySet()) {
            Reading reading = each.getValue();
            LimitRow row = reading == null ? null : rows.computeIfAbsent(each.getKey(), added -> new LimitRow());
            if (row != null && reading != null && row.sampled(reading)) {
                row.changedAt = id;
            }
        }
        List<String> missing =
                rows.keySet().stream().filter(name -> !read.containsKey(name)).toList();
        for (String name : missing) {
            rows.remove(name);
            gone.addLast(new Dated(id, name));
        }
        while (gone.size() > GONE) {
            oldest = Math.max(oldest, gone.removeFirst().at + 1);
        }
    }

    /** Forgets the rates of all: nobody has counted for a while. */
    synchronized void forgetRates() {
        rows.values().forEach(LimitRow::forget);
    }

    /* The events are the same objects each time. */
    @GuardedBy("this")
    private void addEvents(List<TimedEvent> all) {
        int from = 0;
        for (int i = all.size(); i > 0 && from == 0; i--) {
            from = all.get(i - 1) == lastEvent ? i : 0;
        }
        for (TimedEvent event : all.subList(from, all.size())) {
            events.add(new Dated(id, EventText.json(event)));
            lastEvent = event;
        }
        while (events.size() > all.size()) {
            events.remove(0);
        }
    }

    /** All that has changed after this sample; everything if it is too long ago, or of another console. */
    synchronized Told since(long sample) {
        boolean isWhole = sample < oldest || sample > id;
        long after = isWhole ? Long.MIN_VALUE : sample;
        List<String> changed = rows.values().stream()
                .filter(row -> row.changedAt > after)
                .map(row -> row.json)
                .toList();
        Set<String> left = new LinkedHashSet<>(newer(gone, after));
        left.removeAll(rows.keySet());
        List<String> sources = newer(List.of(source), after);
        List<String> told = newer(events, after);
        long last = id;
        String json = JsonWriter.object(news -> {
            if (isWhole) {
                news.raw("process", process);
            } else {
                news.texts("gone", left);
            }
            sources.forEach(text -> news.raw("source", text));
            news.raws("rows", changed)
                    .raws("events", told)
                    .text("now", clock.instant().truncatedTo(ChronoUnit.MILLIS))
                    .number("id", last);
        });
        return new Told(last, isWhole, json);
    }

    Told whole() {
        return since(Long.MIN_VALUE);
    }

    private static List<String> newer(Collection<Dated> all, long after) {
        return all.stream().filter(each -> each.at > after).map(Dated::text).toList();
    }

    private static String source(ConfigStatus status) {
        return JsonWriter.object(json -> json.text("source", status.source())
                .is("up", status.source().isEmpty() || status.up())
                .text("version", status.version())
                .text("author", status.author())
                .text("reason", status.reason())
                .text("since", status.since())
                .texts("problems", status.problems())
                .texts("orphans", status.orphans()));
    }
}
