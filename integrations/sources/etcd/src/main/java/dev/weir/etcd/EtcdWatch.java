package dev.weir.etcd;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchResponse;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The watch of one client. jetcd resumes a watch that has failed from a revision that may be later than events which it has not told
 * of: here a watch that has failed ends, also if the revision was compacted, and the next reading begins another. Thread-safe.
 */
final class EtcdWatch {
    private final Client client;
    private final Consumer<WatchResponse> changed;
    private final Runnable ended;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private boolean closed;

    @GuardedBy("lock")
    private Watch.@Nullable Watcher watcher;

    @GuardedBy("lock")
    private long number;

    @GuardedBy("lock")
    private boolean failed;

    EtcdWatch(Client client, Consumer<WatchResponse> changed, Runnable ended) {
        this.client = client;
        this.changed = changed;
        this.ended = ended;
    }

    boolean isOn() {
        synchronized (lock) {
            return watcher != null && !failed && !closed;
        }
    }

    /** Watches from this revision; returns false if a watch is in force. */
    boolean begin(ByteSequence key, WatchOption.Builder options, long revision) {
        Watch.Watcher old;
        long begun;
        synchronized (lock) {
            if (watcher != null && !failed) {
                return false;
            }
            old = watcher;
            watcher = null;
            failed = false;
            begun = ++number;
        }
        if (old != null) {
            old.close();
        }
        Watch.Watcher made = client.getWatchClient()
                .watch(
                        key,
                        options.withRevision(revision).withRequireLeader(true).build(),
                        Watch.listener(changed, failure -> end(begun), () -> end(begun)));
        boolean late;
        synchronized (lock) {
            late = closed;
            watcher = made;
        }
        if (late) {
            made.close();
        }
        return true;
    }

    private void end(long begun) {
        synchronized (lock) {
            if (begun != number || failed) {
                return;
            }
            failed = true;
        }
        ended.run();
    }

    void close() {
        Watch.Watcher last;
        synchronized (lock) {
            closed = true;
            last = watcher;
            number++;
        }
        if (last != null) {
            last.close();
        }
    }
}
