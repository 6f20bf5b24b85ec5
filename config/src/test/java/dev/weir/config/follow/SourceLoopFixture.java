package dev.weir.config.follow;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.config.document.Format;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.InstanceStatus;
import dev.weir.config.source.Reading;
import dev.weir.testkit.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;

/** A source that does what the test says, and what a loop told of it, in virtual time. */
class SourceLoopFixture {
    static final Duration SECOND = Duration.ofSeconds(1);

    final VirtualTime time =
            new VirtualTime(Long.MAX_VALUE - Duration.ofMinutes(30).toNanos());
    final Scripted source = new Scripted();
    final List<String> told = new CopyOnWriteArrayList<>();
    final SourceLoop.Listener listener = new SourceLoop.Listener() {
        @Override
        public void onReading(Reading reading) {
            told.add(text(reading));
        }

        @Override
        public void onLost(Throwable why) {
            told.add("lost: " + why.getMessage());
        }

        @Override
        public void onRestored(Duration away) {
            told.add("restored after " + away.toSeconds() + " s");
        }
    };

    static String text(Reading reading) {
        String text = reading.isAbsent() ? "absent" : new String(reading.content(), UTF_8);
        return text + (reading.isWhole() ? "" : "?") + (reading.revision() < 0 ? "" : "@" + reading.revision());
    }

    static Reading reading(String text) {
        return Reading.of(text.getBytes(UTF_8), Format.YAML);
    }

    /** What a test tells it to be. Guarded by what hands the loop from thread to thread, but for the lists. */
    final class Scripted implements ConfigSource {
        volatile Callable<Reading> script = Reading::absent;
        volatile Runnable changed = () -> {};
        volatile Duration every = Duration.ofSeconds(30);
        volatile boolean watchable = true;
        volatile boolean local;
        final List<Long> attempts = new CopyOnWriteArrayList<>();
        final List<String> written = new ArrayList<>();
        int watched;
        int closed;
        boolean writable = true;

        @Override
        public String name() {
            return "script";
        }

        @Override
        public Reading read() throws Exception {
            attempts.add(time.read());
            return script.call();
        }

        @Override
        public void watch(Runnable changed) throws IOException {
            attempts.add(time.read());
            if (!watchable) {
                throw new IOException("no watch");
            }
            watched++;
            this.changed = changed;
        }

        @Override
        public boolean isLocal() {
            return local;
        }

        @Override
        public Duration readEvery() {
            return every;
        }

        @Override
        public boolean acknowledges() {
            return true;
        }

        @Override
        public void acknowledge(InstanceStatus status) throws IOException {
            attempts.add(time.read());
            if (!writable) {
                throw new IOException("read only");
            }
            written.add(status.offered());
        }

        @Override
        public void close() {
            closed++;
        }

        /** Of the attempts that follow each other. */
        List<Long> gaps(int from) {
            List<Long> gaps = new ArrayList<>();
            for (int i = from + 1; i < attempts.size(); i++) {
                gaps.add(attempts.get(i) - attempts.get(i - 1));
            }
            return gaps;
        }
    }

    SourceLoop loop(Executor executor) {
        return new SourceLoop(source, listener, time, executor, time, new Random(1));
    }

    SourceLoop started() {
        SourceLoop loop = loop(Runnable::run);
        loop.start();
        return loop;
    }

    static InstanceStatus status(String version) {
        return new InstanceStatus("a", version, version, InstanceStatus.Result.ACCEPTED, List.of(), Instant.EPOCH);
    }
}
