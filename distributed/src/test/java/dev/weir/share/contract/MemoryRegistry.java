package dev.weir.share.contract;

import dev.weir.Ticker;
import dev.weir.share.ShareRegistry;
import dev.weir.spi.Alarm;
import dev.weir.spi.Registration;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The server of a registry in memory, whose faults a test controls: instances that are cut from it, replies that are lost after
 * the change was made, and anything that happens while a command is on its way. Thread-safe. Each lease ends by the ticker.
 */
public final class MemoryRegistry {
    /** What happens on the way of one command. Called without a lock, before it is done and again before its reply arrives. */
    @FunctionalInterface
    public interface OnTheWay {
        /** Called on the thread of the instance; may move virtual time. */
        void pass(String instance);
    }

    private record Entry(String value, long version) {}

    private record Member(Access access, long until) {}

    private final Ticker ticker;
    private final Alarm alarm;
    private final Map<String, Entry> entries = new HashMap<>();
    private final TreeMap<String, Member> members = new TreeMap<>();
    private final Set<String> cut = new HashSet<>();
    private final Map<String, Integer> lostReplies = new HashMap<>();
    private final List<Access> accesses = new ArrayList<>();
    private long lastVersion;
    private OnTheWay onTheWay = instance -> {};

    /** A server that knows nothing yet. */
    public MemoryRegistry(Ticker ticker, Alarm alarm) {
        this.ticker = ticker;
        this.alarm = alarm;
    }

    /** The access of an instance. It may be opened again with the same id. */
    public synchronized ShareRegistry open(String instance, Duration lease) {
        Access access = new Access(ShareRegistry.name("instance", instance), lease.toNanos());
        accesses.add(access);
        return access;
    }

    /** Every command of the instance fails before it is done, and no watch of it is called. */
    public synchronized void cut(String instance) {
        cut.add(instance);
    }

    /** Ends {@link #cut}. */
    public void restore(String instance) {
        synchronized (this) {
            cut.remove(instance);
        }
        tell(instance);
    }

    /** The next so many replacements of the instance are made, but fail. */
    public synchronized void loseReplies(String instance, int count) {
        lostReplies.put(instance, count);
    }

    /** What happens on the way from now on. */
    public synchronized void onTheWay(OnTheWay action) {
        onTheWay = action;
    }

    /** The text of an entry; null if it does not exist. */
    public synchronized @Nullable String value(String entry) {
        Entry found = entries.get(entry);
        return found == null ? null : found.value();
    }

    /** The ids of the members. */
    public synchronized Set<String> members() {
        long now = ticker.read();
        Set<String> ids = new HashSet<>();
        members.forEach((id, member) -> {
            if (now - member.until() < 0) {
                ids.add(id);
            }
        });
        return ids;
    }

    /** Writes an entry as an operator would, past all locks. */
    public void overwrite(String entry, String value) {
        synchronized (this) {
            entries.put(entry, new Entry(value, ++lastVersion));
        }
        tellAll();
    }

    /** Deletes an entry as an operator would. Its versions are not used again. */
    public void delete(String entry) {
        synchronized (this) {
            entries.remove(entry);
        }
        tellAll();
    }

    /** Ends the membership of an instance, as if its lease had ended. */
    public void expire(String instance) {
        synchronized (this) {
            members.remove(instance);
        }
        tellAll();
    }

    private void tellAll() {
        List<Runnable> actions = new ArrayList<>();
        synchronized (this) {
            accesses.forEach(access -> access.addWatches(actions));
        }
        call(actions);
    }

    private void tell(String instance) {
        List<Runnable> actions = new ArrayList<>();
        synchronized (this) {
            for (Access access : accesses) {
                if (access.instance.equals(instance)) {
                    access.addWatches(actions);
                }
            }
        }
        call(actions);
    }

    private static void call(List<Runnable> actions) {
        for (Runnable action : actions) {
            try {
                action.run();
            } catch (RuntimeException ignored) {
                continue;
            }
        }
    }

    private synchronized boolean removeExpired() {
        long now = ticker.read();
        return members.values().removeIf(member -> now - member.until() >= 0);
    }

    private void expireLeases() {
        if (removeExpired()) {
            tellAll();
        }
    }

    private final class Access implements ShareRegistry {
        final String instance;
        private final long lease;
        private final List<Runnable> watches = new ArrayList<>();
        private boolean closed;

        Access(String instance, long lease) {
            this.instance = instance;
            this.lease = lease;
        }

        private interface Command<T> {
            T run() throws IOException;
        }

        private <T> T send(Command<T> command) throws IOException {
            OnTheWay way;
            synchronized (MemoryRegistry.this) {
                way = onTheWay;
            }
            way.pass(instance);
            T reply;
            synchronized (MemoryRegistry.this) {
                checkReachable();
                removeExpired();
                reply = command.run();
            }
            way.pass(instance);
            synchronized (MemoryRegistry.this) {
                checkReachable();
            }
            return reply;
        }

        private void checkReachable() throws IOException {
            if (closed || cut.contains(instance)) {
                throw new IOException(closed ? "closed" : "unreachable");
            }
        }

        void addWatches(List<Runnable> actions) {
            if (!closed && !cut.contains(instance)) {
                actions.addAll(watches);
            }
        }

        @Override
        public String instance() {
            return instance;
        }

        @Override
        public Duration renew() throws IOException {
            boolean isNew = send(() -> {
                Member before = members.get(instance);
                if (before != null && before.access() != this) {
                    throw new IllegalStateException("instance " + instance + " is a member already");
                }
                members.put(instance, new Member(this, ticker.read() + lease));
                return before == null;
            });
            alarm.ring(lease, MemoryRegistry.this::expireLeases);
            if (isNew) {
                tellAll();
            }
            return Duration.ofNanos(lease);
        }

        @Override
        public View read(String entry) throws IOException {
            ShareRegistry.name("entry", entry);
            return send(() -> {
                Entry found = entries.get(entry);
                List<String> ids = List.copyOf(members.keySet());
                return found == null ? new View(ids, "", 0) : new View(ids, found.value(), found.version());
            });
        }

        @Override
        public boolean replace(String entry, long version, String value) throws IOException {
            ShareRegistry.name("entry", entry);
            boolean replaced = send(() -> {
                Entry found = entries.get(entry);
                boolean asRead = (found == null ? 0 : found.version()) == version;
                if (asRead) {
                    entries.put(entry, new Entry(value, ++lastVersion));
                }
                return asRead;
            });
            if (replaced) {
                tellAll();
            }
            if (isLost()) {
                throw new IOException("the reply was lost");
            }
            return replaced;
        }

        private boolean isLost() {
            synchronized (MemoryRegistry.this) {
                int left = lostReplies.getOrDefault(instance, 0);
                lostReplies.put(instance, Math.max(0, left - 1));
                return left > 0;
            }
        }

        @Override
        public Registration watch(String entry, Runnable changed) {
            ShareRegistry.name("entry", entry);
            Runnable own = changed::run;
            synchronized (MemoryRegistry.this) {
                watches.add(own);
            }
            return () -> {
                synchronized (MemoryRegistry.this) {
                    watches.removeIf(watch -> watch == own);
                }
            };
        }

        @Override
        public void close() {
            boolean left;
            synchronized (MemoryRegistry.this) {
                Member member = members.get(instance);
                left = !cut.contains(instance) && member != null && member.access() == this;
                if (left) {
                    members.remove(instance);
                }
                closed = true;
                watches.clear();
            }
            if (left) {
                tellAll();
            }
        }
    }
}
