package dev.weir.store.state;

import dev.weir.Ticker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A store in this process whose clock a test sets. What it does is recorded. */
final class SimulatedStore {
    private record Row(byte[] state, long version, long until) {}

    private final Ticker time;
    private final Map<String, Row> rows = new HashMap<>();
    private final long origin;
    private long offset = 1_700_000_000_000_000L;
    private long jumped;
    private long lastVersion;
    final List<Replacement> made = new ArrayList<>();
    final List<List<String>> readings = new ArrayList<>();
    final List<List<String>> replacements = new ArrayList<>();

    SimulatedStore(Ticker time) {
        this.time = time;
        this.origin = time.read();
    }

    synchronized long micros() {
        return offset + jumped + TimeUnit.NANOSECONDS.toMicros(time.read() - origin);
    }

    /** The clock without its jumps. */
    synchronized long steadyMicros() {
        return micros() - jumped;
    }

    /** The store has another clock from now on. */
    synchronized void start(long micros) {
        offset = micros;
    }

    /** The clock jumps by so many microseconds. */
    synchronized void jump(long micros) {
        jumped += micros;
    }

    /** Removes a value, as if its time had passed. */
    synchronized void remove(String name) {
        rows.remove(name);
    }

    /** Writes past all locks. */
    synchronized void overwrite(String name, byte[] state) {
        rows.put(name, new Row(state, ++lastVersion, Long.MAX_VALUE));
    }

    synchronized byte @Nullable [] state(String name) {
        Row row = row(name);
        return row == null ? null : row.state();
    }

    private @Nullable Row row(String name) {
        Row row = rows.get(name);
        return row == null || row.until() <= micros() ? null : row;
    }

    synchronized List<Stored> read(List<String> names) {
        readings.add(names);
        return names.stream().map(this::stored).toList();
    }

    private Stored stored(String name) {
        Row row = row(name);
        return row == null ? Stored.absent(micros()) : Stored.present(row.state(), row.version(), micros());
    }

    synchronized List<Stored> replace(List<Replacement> all) {
        replacements.add(all.stream().map(Replacement::name).toList());
        return all.stream().map(this::replaced).toList();
    }

    private Stored replaced(Replacement next) {
        Row row = row(next.name());
        if ((row == null ? 0 : row.version()) != next.version() || micros() < next.atMicros()) {
            return stored(next.name());
        }
        rows.put(next.name(), new Row(next.state(), ++lastVersion, micros() + next.ttlMicros()));
        made.add(next);
        return Stored.replaced(next, lastVersion, micros());
    }
}
