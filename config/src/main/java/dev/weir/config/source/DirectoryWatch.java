package dev.weir.config.source;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.internal.Workers;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A watch of directories, by one daemon thread, that tells when a file in them may have changed. Covers no directory at first.
 * Thread-safe.
 */
final class DirectoryWatch implements AutoCloseable {
    /** Kubernetes replaces this link in the directory of a mounted document. */
    private static final String KUBERNETES_LINK = "..data";

    private final WatchService service;
    private final Runnable changed;

    @GuardedBy("this")
    private final Map<Path, WatchKey> keys = new HashMap<>();

    @GuardedBy("this")
    private Set<Path> files = Set.of();

    private DirectoryWatch(WatchService service, Runnable changed) {
        this.service = service;
        this.changed = changed;
    }

    /** Null if the file system, or a limit of the operating system, does not allow it. */
    static @Nullable DirectoryWatch start(FileSystem files, String name, Runnable changed) {
        WatchService service;
        try {
            service = files.newWatchService();
        } catch (IOException | UnsupportedOperationException e) {
            return null;
        }
        DirectoryWatch watch = new DirectoryWatch(service, changed);
        Workers.thread("weir-watch " + name, watch::run).start();
        return watch;
    }

    /** Watches these files, and no other from now on. A directory that cannot be watched is left out. */
    synchronized void cover(Set<Path> files) {
        Map<Path, WatchKey> covered = new HashMap<>();
        for (Path file : files) {
            Path directory = file.getParent();
            WatchKey known = keys.remove(directory);
            if (known == null || !known.isValid()) {
                known = register(directory);
            }
            if (known != null) {
                covered.put(directory, known);
            }
        }
        keys.forEach((directory, key) -> {
            if (!covered.containsKey(directory)) {
                key.cancel();
            }
        });
        keys.clear();
        keys.putAll(covered);
        this.files = files;
    }

    private @Nullable WatchKey register(@Nullable Path directory) {
        if (directory == null) {
            return null;
        }
        try {
            return directory.register(
                    service,
                    StandardWatchEventKinds.ENTRY_CREATE,
                    StandardWatchEventKinds.ENTRY_MODIFY,
                    StandardWatchEventKinds.ENTRY_DELETE);
        } catch (IOException | UnsupportedOperationException | ClosedWatchServiceException e) {
            return null;
        }
    }

    private void run() {
        try {
            while (true) {
                WatchKey key = service.take();
                boolean relevant = key.pollEvents().stream().anyMatch(this::isRelevant);
                if (!key.reset() || relevant) {
                    changed.run();
                }
            }
        } catch (InterruptedException | ClosedWatchServiceException e) {
            // Nobody watches any more.
        }
    }

    /** Others may write to the same directory, for example a log. */
    private synchronized boolean isRelevant(WatchEvent<?> event) {
        if (!(event.context() instanceof Path entry)) {
            return true;
        }
        return entry.toString().equals(KUBERNETES_LINK)
                || files.stream().anyMatch(file -> entry.equals(file.getFileName()));
    }

    @Override
    public void close() {
        try {
            service.close();
        } catch (IOException e) {
            // Its thread ends all the same.
        }
    }
}
