package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import dev.weir.algorithms.Semaphore;
import dev.weir.config.document.Format;
import dev.weir.config.follow.InstanceName;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.InstanceStatus;
import dev.weir.config.source.InstanceStatus.Result;
import dev.weir.config.source.Reading;
import dev.weir.testkit.Seed;
import dev.weir.testkit.VirtualTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random histories of one document and several instances: at every moment the rows say what the limits of each are. */
@Tag("property")
class RolloutHistoriesTest {
    private static final int HISTORIES = 1000;
    private static final int STEPS = 20;
    private static final int INSTANCES = 3;
    private static final int DECLARED = 7;

    /** In one of so many histories some instances keep their last good document, which takes long. */
    private static final int KEEPING = 20;

    @TempDir
    Path directory;

    /** One for all: each finds all factories. */
    private final LimiterRegistry.Builder keeping = LimiterRegistry.builder();

    private final LimiterRegistry.Builder forgetting = LimiterRegistry.builder();

    /** A server with one document, which tells all instances of each change. */
    private static final class Server {
        final Map<String, InstanceStatus> rows = new TreeMap<>();
        final List<Runnable> watchers = new ArrayList<>();
        Reading reading = Reading.absent();
        boolean away;

        ConfigSource source() {
            return new ConfigSource() {
                private @Nullable Runnable watcher;
                private @Nullable String instance;

                @Override
                public String name() {
                    return "server";
                }

                @Override
                public Reading read() throws IOException {
                    checkThere();
                    return reading;
                }

                @Override
                public void watch(Runnable changed) {
                    watcher = changed;
                    watchers.add(changed);
                }

                @Override
                public boolean acknowledges() {
                    return true;
                }

                @Override
                public void acknowledge(InstanceStatus status) throws IOException {
                    checkThere();
                    instance = status.instance();
                    rows.put(status.instance(), InstanceStatus.ofJson(status.toJson()));
                }

                @Override
                public List<InstanceStatus> statuses() {
                    return List.copyOf(rows.values());
                }

                @Override
                public void close() {
                    watchers.remove(watcher);
                    if (instance != null) {
                        rows.remove(instance);
                    }
                }
            };
        }

        void checkThere() throws IOException {
            if (away) {
                throw new IOException("away");
            }
        }

        void changed() {
            List.copyOf(watchers).forEach(Runnable::run);
        }
    }

    /** What a document of the history is, and so what an instance should do with it. */
    private record Written(long version, double percent, boolean parses) {
        Reading reading(long revision) {
            String limits = parses ? "{ a: { concurrency: " + (100 + version) + " } }" : "[";
            String text = "document: { version: " + version + ", percent: " + percent + " }\nlimits: " + limits;
            return Reading.of(text.getBytes(StandardCharsets.UTF_8), Format.YAML)
                    .revision(revision)
                    .whole();
        }
    }

    /** An instance, and what it should run by the rules. */
    private final class Instance {
        final String name;
        final Path lastGood;
        LimiterRegistry registry;
        long running;

        @Nullable
        Written inForce;

        @Nullable
        Written kept;

        boolean told;
        String offered = "";
        Result result = Result.ACCEPTED;

        Instance(String name, boolean keeps, History history) {
            this.name = name;
            this.lastGood = keeps ? directory.resolve(name) : directory;
            this.registry = started(history);
        }

        boolean keeps() {
            return lastGood != directory;
        }

        private LimiterRegistry started(History history) {
            inForce = kept;
            running = inForce == null ? 0 : inForce.version;
            told = false;
            LimiterRegistry.Builder builder = keeps() ? keeping.lastGood(lastGood) : forgetting;
            LimiterRegistry created = builder.source(history.server.source())
                    .ticker(history.time)
                    .alarm(history.time)
                    .executor(Runnable::run)
                    .instance(name)
                    .startWithin(Duration.ZERO)
                    .onEvent(event -> {})
                    .build();
            created.limiter("a", new Semaphore(DECLARED));
            return created;
        }

        void restart(History history) {
            registry.close();
            registry = started(history);
            if (!history.server.away) {
                decide(history.written, history.revision);
            }
        }

        void decide(@Nullable Written written, long revision) {
            told = true;
            if (written == null || !written.parses) {
                offered = written == null ? "" : "r" + revision;
                result = Result.REJECTED;
                return;
            }
            offered = Long.toString(written.version);
            if (written.equals(inForce)) {
                result = Result.ACCEPTED;
            } else if (written.version <= running) {
                result = Result.REJECTED;
            } else if (new InstanceName(name, true).place("") >= written.percent) {
                result = Result.HELD;
            } else {
                result = Result.ACCEPTED;
                running = written.version;
                inForce = written;
                kept = keeps() ? written : null;
            }
        }

        void check(Collection<InstanceStatus> rows) {
            long limit = running == 0 ? DECLARED : 100 + running;
            assertEquals(limit, ((Semaphore) registry.limiter("a").snapshot().spec()).limit(), name);
            assertEquals(
                    running == 0 ? "" : Long.toString(running),
                    registry.status().version(),
                    name);
            for (InstanceStatus row : rows) {
                if (row.instance().equals(name)) {
                    String shown = row.running() + " " + row.offered() + " " + row.result();
                    assertEquals(registry.status().version() + " " + offered + " " + result, shown, name);
                    assertEquals(registry.status().since(), row.since());
                    return;
                }
            }
            if (told) {
                fail("no row of " + name);
            }
        }
    }

    /** One history. */
    private final class History {
        final Server server = new Server();
        final VirtualTime time = new VirtualTime();
        final SplittableRandom random;
        final List<Instance> instances = new ArrayList<>();

        @Nullable
        Written written;

        long revision;
        long highest;

        History(SplittableRandom random) {
            this.random = random;
            boolean keeps = random.nextInt(KEEPING) == 0;
            for (int i = 0; i < INSTANCES; i++) {
                instances.add(new Instance("shop-" + i + "-" + random.nextInt(100), keeps && i % 2 == 0, this));
            }
            instances.forEach(instance -> instance.decide(null, 0));
        }

        void run() throws Exception {
            for (int i = 0; i < STEPS; i++) {
                step();
                if (!server.away) {
                    List<InstanceStatus> rows = instances.get(0).registry.rollout();
                    instances.forEach(instance -> instance.check(rows));
                }
                time.advance(Duration.ofSeconds(random.nextInt(40)));
            }
            for (Instance instance : instances) {
                instance.registry.close();
                if (instance.keeps()) {
                    Files.deleteIfExists(instance.lastGood);
                }
            }
            assertEquals(Map.of(), server.rows);
        }

        private void step() {
            switch (random.nextInt(8)) {
                case 0 -> instances.get(random.nextInt(INSTANCES)).restart(this);
                case 1 -> leave();
                case 2 -> write(new Written(highest + 1, 100, false));
                case 3 -> write(new Written(1 + random.nextLong(highest + 1), 100, true));
                case 4, 5 -> write(new Written(highest + 1, random.nextInt(100), true));
                default -> write(new Written(highest + 1, 100, true));
            }
        }

        private void write(Written next) {
            written = next;
            highest = next.parses ? Math.max(highest, next.version) : highest;
            server.reading = next.reading(++revision);
            server.changed();
            if (!server.away) {
                instances.forEach(instance -> instance.decide(next, revision));
            }
        }

        /* The server is away for some time, or is back. */
        private void leave() {
            server.away = !server.away;
            server.changed();
            time.advance(Duration.ofSeconds(16));
            if (!server.away) {
                instances.forEach(instance -> instance.decide(written, revision));
            }
        }
    }

    @Test
    void aRowTellsWhatEachInstanceRunsAtEveryMoment() {
        Seed.forAll(HISTORIES, random -> {
            try {
                new History(random).run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
