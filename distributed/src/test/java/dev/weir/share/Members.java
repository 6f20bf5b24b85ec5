package dev.weir.share;

import dev.weir.share.contract.MemoryRegistry;
import dev.weir.spi.Registration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/** Instances with shares of one quota, in virtual time. The sum of what they enforce is checked after each event. */
final class Members {
    static final long MILLI = 1_000_000;
    static final long SECOND = 1_000 * MILLI;
    /* How many commands can be on their way at a time; the others take no time, or time would hardly move. */
    private static final int DEEPEST = 3;

    static final Duration LEASE = Duration.ofSeconds(3);

    final SimulatedTime time = new SimulatedTime(this::check);
    final MemoryRegistry server = new MemoryRegistry(time, time);
    final Map<String, Instance> instances = new LinkedHashMap<>();
    final SplittableRandom random;
    private final List<Instance> ended = new ArrayList<>();
    private final UnaryOperator<Target> twin;
    long quota;
    long degraded;
    Division division = Division.equal();
    long latency;
    long highest;
    /* How much more than the quota, and what cut off instances enforce that a lost ledger kept free for them. */
    long excess = Long.MIN_VALUE;
    long checks;
    private long lostUntil;
    private long measuredAt = 1;
    private int depth;
    private int started;

    /** Members whose instances enforce what the twin makes of it. */
    Members(long quota, SplittableRandom random, UnaryOperator<Target> twin) {
        this.quota = quota;
        this.random = random;
        this.twin = twin;
        server.onTheWay(this::pass);
    }

    Members(long quota) {
        this(quota, new SplittableRandom(1), target -> target);
    }

    Instance join() {
        return new Instance("i" + started++);
    }

    void seconds(double seconds) {
        time.advance((long) (seconds * SECOND));
    }

    List<Instance> all() {
        List<Instance> all = new ArrayList<>(instances.values());
        all.addAll(ended);
        return all;
    }

    long sum() {
        long now = time.read();
        long sum = 0;
        for (Instance instance : instances.values()) {
            sum += instance.enforced(now);
        }
        return sum;
    }

    private void check() {
        checks++;
        measure();
        long now = time.read();
        long sum = sum();
        highest = Math.max(highest, sum);
        long forgotten = 0;
        for (Instance instance : instances.values()) {
            forgotten += instance.isForgotten(now) ? 1 : 0;
        }
        excess = Math.max(excess, sum - quota - degraded * forgotten);
    }

    /* Before anything changes, so that the time since the last event counts as what each instance was and had in it. */
    private void measure() {
        long from = measuredAt;
        measuredAt = time.read();
        if (measuredAt == from) {
            return;
        }
        Set<String> members = server.members();
        for (Instance instance : instances.values()) {
            if (instance.isConnected()) {
                members.add(instance.id);
            }
        }
        double fair = members.isEmpty() ? 0 : (double) quota / members.size();
        for (Instance instance : instances.values()) {
            instance.pass(measuredAt - from, from, fair);
        }
    }

    /** The ledger is lost. Who does not write into the next one while that is new has no row. */
    void lose(String junk) {
        lostUntil = time.read() + 2 * LEASE.toNanos();
        if (junk.isEmpty()) {
            server.delete("rate");
        } else {
            server.overwrite("rate", junk);
        }
    }

    /* A command takes time; so does a pause of its process. */
    private void pass(String id) {
        Instance instance = instances.get(id);
        depth++;
        try {
            if (latency > 0 && depth <= DEEPEST) {
                time.advance(1 + random.nextLong(latency));
            }
            while (instance != null && instance.isPaused && depth <= DEEPEST) {
                time.advance(10 * MILLI);
            }
        } finally {
            depth--;
        }
    }

    /** One instance. */
    final class Instance implements Target {
        final String id;
        final ShareRegistry registry;
        final Share share;
        final long joinedAt = time.read();
        private final List<Runnable> waiting = new ArrayList<>();
        private Setting setting = Setting.NOTHING;
        boolean isPaused;
        boolean isCut;
        boolean isCrashed;
        private boolean wasAway;
        private long backAt;
        double connectedNanos;
        double enforcedNanos;
        double fairNanos;

        Instance(String id) {
            this.id = id;
            measure();
            instances.put(id, this);
            registry = server.open(id, LEASE);
            share = Share.builder("rate", registry, quota)
                    .degraded(degraded)
                    .forgetAfter(Duration.ofSeconds(40))
                    .by(division)
                    .time(time, this::ring)
                    .executor(task -> ring(1, task))
                    .token(String.format("%016x", random.nextLong()))
                    .start(twin.apply(this));
        }

        private Registration ring(long nanos, Runnable action) {
            return time.ring(nanos, () -> run(action));
        }

        private void run(Runnable action) {
            if (isPaused) {
                waiting.add(action);
            } else if (!isCrashed) {
                action.run();
            }
        }

        @Override
        public void set(Setting next) {
            measure();
            setting = isCrashed ? Setting.CLOSED : next;
            check();
        }

        long enforced(long now) {
            return setting.isOver(now) ? Math.min(setting.share(), degraded) : setting.share();
        }

        boolean isConnected() {
            return !isPaused && !isCut && !isCrashed;
        }

        /** Whether it was away when the ledger was lost or soon after, and has not been back for long enough. */
        private boolean isForgotten(long now) {
            if (!isConnected()) {
                wasAway |= now - lostUntil < 0;
                backAt = now;
            }
            wasAway &= now - backAt < 2 * LEASE.toNanos();
            return wasAway;
        }

        private void pass(long nanos, long from, double fair) {
            if (isConnected()) {
                connectedNanos += nanos;
                fairNanos += nanos * fair;
                enforcedNanos += (double) nanos * enforced(from);
            }
        }

        void forget() {
            measure();
            connectedNanos = 0;
            enforcedNanos = 0;
            fairNanos = 0;
        }

        void cut() {
            measure();
            isCut = true;
            server.cut(id);
        }

        void restore() {
            measure();
            isCut = false;
            server.restore(id);
        }

        void pause(long nanos) {
            measure();
            isPaused = true;
            time.ring(nanos, this::resume);
        }

        private void resume() {
            measure();
            isPaused = false;
            List<Runnable> due = new ArrayList<>(waiting);
            waiting.clear();
            due.forEach(this::run);
        }

        void leave() {
            share.close();
            registry.close();
            end();
        }

        void crash() {
            measure();
            isCrashed = true;
            setting = Setting.CLOSED;
            end();
        }

        private void end() {
            measure();
            instances.remove(id);
            ended.add(this);
        }
    }
}
