package dev.weir.store.state;

import dev.weir.share.EntryListeners;
import dev.weir.spi.Alarm;
import dev.weir.spi.Registration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The watches of one instance, for which the store is read again and again while there are any. Thread-safe. */
final class StateWatch {
    /*
     * A reading is under way, or an alarm is set, while there is a watch:
     *
     *     add                         alarm
     *     adds the listener
     *                                 finds none: polling := false
     *     polling: false -> true, sets the alarm
     */
    private final StateStore store;
    private final String members;
    private final Function<String, String> names;
    private final Alarm alarm;
    private final long pollNanos;
    private final EntryListeners listeners = new EntryListeners();
    private final ConcurrentMap<String, Integer> entries = new ConcurrentHashMap<>();
    private final AtomicBoolean polling = new AtomicBoolean();
    private volatile boolean closed;

    /* Of the reading under way. A name that is absent here has not been read since it is watched. */
    private final Map<String, Object> seen = new HashMap<>();

    StateWatch(StateStore store, String members, Function<String, String> names, Alarm alarm, long pollNanos) {
        this.store = store;
        this.members = members;
        this.names = names;
        this.alarm = alarm;
        this.pollNanos = pollNanos;
    }

    Registration add(String entry, Runnable changed) {
        Registration added = listeners.add(entry, changed);
        entries.merge(entry, 1, Integer::sum);
        AtomicBoolean open = new AtomicBoolean(true);
        if (polling.compareAndSet(false, true)) {
            pollLater();
        }
        return () -> {
            if (open.compareAndSet(true, false)) {
                added.close();
                entries.computeIfPresent(entry, (name, watches) -> watches == 1 ? null : watches - 1);
            }
        };
    }

    private void pollLater() {
        Registration unused = alarm.ring(pollNanos, this::poll);
    }

    private void poll() {
        if (closed) {
            return;
        }
        if (entries.isEmpty()) {
            polling.set(false);
            if (entries.isEmpty() || !polling.compareAndSet(false, true)) {
                return;
            }
        }
        read(List.copyOf(entries.keySet()), 0);
    }

    /** Reads some entries with the members, then the others. */
    private void read(List<String> watched, int from) {
        List<String> some = watched.subList(from, Math.min(watched.size(), from + StateStore.MOST_NAMES - 1));
        List<String> asked = new ArrayList<>(some.stream().map(names).toList());
        asked.add(members);
        try {
            Object unused = store.read(asked).whenComplete((answers, thrown) -> {
                told(some, answers);
                if (answers != null && from + some.size() < watched.size()) {
                    read(watched, from + some.size());
                } else {
                    pollLater();
                }
            });
        } catch (RuntimeException e) {
            told(some, null);
            pollLater();
        }
    }

    /** {@code answers}: null = the store did not answer, so that all may have changed when it does. */
    private void told(List<String> some, @Nullable List<Stored> answers) {
        if (answers == null || answers.size() != some.size() + 1) {
            seen.clear();
            return;
        }
        boolean all = isChanged(members, Members.of(answers.get(some.size())).ids());
        List<String> changed = new ArrayList<>();
        for (int i = 0; i < some.size(); i++) {
            if (isChanged(names.apply(some.get(i)), answers.get(i).version())) {
                changed.add(some.get(i));
            }
        }
        if (closed) {
            return;
        }
        if (all) {
            listeners.allChanged();
        } else {
            changed.forEach(listeners::changed);
        }
    }

    private boolean isChanged(String name, Object now) {
        return !now.equals(seen.put(name, now));
    }

    void close() {
        closed = true;
        listeners.clear();
    }
}
