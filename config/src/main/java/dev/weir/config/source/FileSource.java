package dev.weir.config.source;

import dev.weir.Ticker;
import dev.weir.config.document.Format;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A document in a file, which may be replaced by a rename, edited in place, or mounted by Kubernetes. The file is read every
 * second, and at once when the file system tells of a change. What is read {@linkplain Reading#settled counts as whole} when the
 * file was the same on two readings at least a second apart. This does not prove that what it lacks was removed: end it with the
 * line {@code ...}, or with a checksum.
 *
 * <p>Links are followed. What is not a regular file, or larger than 16 MiB, cannot be read; a file that does not exist is no
 * document. Directories that cannot be watched are only read at intervals.
 */
public final class FileSource implements ConfigSource {
    private static final long QUIET = Duration.ofSeconds(1).toNanos();

    private final Path path;
    private final Format format;
    private final Duration interval;
    private final boolean watching;
    private final @Nullable Path root;
    private final Ticker ticker;
    private final Object lock = new Object();
    /* Both are guarded by the lock; what follows is of the reading thread. */
    private @Nullable DirectoryWatch watch;
    private boolean closed;

    private @Nullable FileSnapshot last;
    private byte @Nullable [] whole;
    private long unchangedSince;
    private boolean settling;

    private FileSource(Builder builder) {
        path = builder.path;
        format = builder.format;
        interval = builder.interval;
        watching = builder.watching;
        root = builder.root;
        ticker = builder.ticker;
    }

    /** The document in this file, in the format that the name of the file says. */
    public static FileSource of(Path path) {
        return builder(path).build();
    }

    /** For a file that is read in another way than usual. */
    public static Builder builder(Path path) {
        return new Builder(path);
    }

    @Override
    public String name() {
        return "file:" + path;
    }

    @Override
    public void watch(Runnable changed) {
        synchronized (lock) {
            if (watching && !closed && watch == null) {
                watch = DirectoryWatch.start(path.getFileSystem(), String.valueOf(path.getFileName()), changed);
            }
        }
    }

    @Override
    public boolean isLocal() {
        return true;
    }

    @Override
    public Duration readEvery() {
        long left = QUIET - (ticker.read() - unchangedSince);
        return settling && left < interval.toNanos() ? Duration.ofNanos(Math.max(0, left)) : interval;
    }

    @Override
    public Reading read() throws IOException {
        try {
            Path real = path.toRealPath();
            if (root != null && !real.startsWith(root.toRealPath())) {
                throw new IOException("is outside of " + root + ": " + path);
            }
            cover(Stream.of(path, real).collect(Collectors.toSet()));
            long now = ticker.read();
            return reading(FileSnapshot.of(real, Reading.MAX_BYTES), now);
        } catch (NoSuchFileException e) {
            cover(Set.of(path));
            last = null;
            settling = false;
            return Reading.absent();
        } catch (AccessDeniedException e) {
            throw new IOException("is not allowed to be read: " + path, e);
        }
    }

    private Reading reading(FileSnapshot read, long now) {
        Reading reading = Reading.of(read.content(), format);
        if (last == null || !read.isUnchangedSince(last)) {
            unchangedSince = ticker.read();
            settling = true;
        }
        last = read;
        // What was whole before is whole: a part of something else cannot be told from it, and changes nothing.
        if (Arrays.equals(whole, read.content()) || now - unchangedSince >= QUIET) {
            settling = false;
            whole = read.content();
            return reading.settled();
        }
        return reading;
    }

    private void cover(Set<Path> files) {
        synchronized (lock) {
            if (watch != null) {
                watch.cover(files);
            }
        }
    }

    @Override
    public void close() {
        DirectoryWatch ended;
        synchronized (lock) {
            closed = true;
            ended = watch;
            watch = null;
        }
        if (ended != null) {
            ended.close();
        }
    }

    @Override
    public String toString() {
        return name();
    }

    /** Options of a source of a file. Not thread-safe. */
    public static final class Builder {
        private final Path path;
        private Format format;
        private Duration interval = Duration.ofSeconds(1);
        private boolean watching = true;
        private @Nullable Path root;
        private Ticker ticker = Ticker.system();

        private Builder(Path path) {
            this.path = path.toAbsolutePath();
            this.format = Format.of(String.valueOf(path.getFileName()));
        }

        /** The format, whatever the name of the file says. */
        public Builder format(Format format) {
            this.format = Objects.requireNonNull(format, "format");
            return this;
        }

        /**
         * How often the file is read. Default: every second.
         *
         * @throws IllegalArgumentException if it is not positive
         */
        public Builder readEvery(Duration interval) {
            if (interval.isZero() || interval.isNegative() || interval.compareTo(Duration.ofDays(1)) > 0) {
                throw new IllegalArgumentException("interval must be > 0 and at most a day, was " + interval);
            }
            this.interval = interval;
            return this;
        }

        /** Reads the file at intervals only, as on a network file system that tells of no change. */
        public Builder withoutWatching() {
            this.watching = false;
            return this;
        }

        /** Refuses the file if, after links are followed, it is not in this directory. Default: it may be anywhere. */
        public Builder within(Path directory) {
            this.root = directory.toAbsolutePath();
            return this;
        }

        /** For tests. Default: the ticker of the system. */
        public Builder ticker(Ticker ticker) {
            this.ticker = Objects.requireNonNull(ticker, "ticker");
            return this;
        }

        /** The source. Opens nothing. */
        public FileSource build() {
            return new FileSource(this);
        }
    }
}
