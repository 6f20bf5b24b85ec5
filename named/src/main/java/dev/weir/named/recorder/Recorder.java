package dev.weir.named.recorder;

import dev.weir.internal.Workers;
import dev.weir.named.backend.NameTable;
import dev.weir.named.backend.OverrideWriter.Planned;
import dev.weir.named.delivery.Delivery;
import dev.weir.spi.Registration;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Records what the limits of this process do, for the last five minutes, while somebody asks for it: for each limit the requests in
 * slices of 10 ms, the times of a sample of permits, and the figures of each second. Limits that a store counts are not recorded.
 *
 * <p>It costs nothing until {@link #record}. Then one daemon thread, {@code weir-recorder}, reads the counts of each limit every 10
 * ms, and one permit in 16 is timed, of each limit 128 in 40 ms at most. An idle limit takes 1 kB, and a busy one up to
 * 100 kB; some 50 kB more with {@code hot-keys: true}. Thread-safe; no method blocks but {@link #preview}.
 */
public final class Recorder {
    /*
     * Those who ask are counted under the lock. The first of them starts a recording and the last one ends it, both outside the
     * lock, because they call limiters. An end cannot come before its start has returned: the caller that starts has asked, too.
     */
    private final NameTable table;
    private final ThreadFactory threads;
    private final Object lock = new Object();
    /* Under the lock. */
    private int asking;
    private volatile @Nullable Recording recording;

    private Recorder(NameTable table, ThreadFactory threads) {
        this.table = table;
        this.threads = threads;
    }

    /** The recorder of these names. Its argument is for {@code Names} only. */
    public static Recorder of(NameTable table) {
        return of(table, work -> Workers.thread("weir-recorder", work));
    }

    /** A recorder whose {@link #tick} is called by threads of this factory. */
    static Recorder of(NameTable table, ThreadFactory threads) {
        return new Recorder(table, threads);
    }

    /**
     * Records from now on until the registration is closed. When the last one is closed, the thread ends and all that is recorded
     * is dropped; so it is when the names are closed, and a call after that records nothing. After a pause of the thread that is
     * longer than five minutes, the recording begins from nothing.
     */
    public Registration record() {
        Recording started = asked();
        if (started != null) {
            try {
                started.start(threads);
            } catch (Throwable failed) {
                leave();
                throw failed;
            }
        }
        return Delivery.once(this::leave)::run;
    }

    private @Nullable Recording asked() {
        synchronized (lock) {
            if (asking++ > 0) {
                return null;
            }
            Recording made = new Recording(table);
            recording = made;
            return made;
        }
    }

    private void leave() {
        Recording ended;
        synchronized (lock) {
            if (--asking > 0) {
                return;
            }
            ended = recording;
            recording = null;
        }
        if (ended != null) {
            ended.stop();
        }
    }

    /**
     * The last five minutes of a limit, a second each, the oldest first, without a gap. Empty if nothing is recorded of it: for less
     * than a second yet, or because this process does not count it or does not know the name.
     */
    public List<RecordedSecond> seconds(String name) {
        Recording present = recording;
        return present == null ? List.of() : present.seconds(name);
    }

    /** The requests of a limit in the last five minutes, in whole seconds; throws if nothing is recorded of it. */
    RecordedLoad load(String name) {
        Recording present = recording;
        RecordedLoad load = present == null ? null : present.load(name);
        if (load == null) {
            String why = present == null
                    ? "nobody has called record()"
                    : "it must be recorded for a second, in this process";
            throw new IllegalStateException("nothing is recorded of the limit " + name + ": " + why);
        }
        return load;
    }

    /**
     * A preview of a change of a limit by what is recorded of it. Its second argument is for {@code Names.preview} only, which calls
     * it.
     *
     * @param change what is changed, for a reader
     * @throws IllegalStateException if nothing is recorded of the limit
     * @throws java.util.concurrent.CancellationException if the thread is interrupted
     */
    public Preview preview(String change, Planned planned) {
        return Previewer.of(load(planned.now().name()), change, planned.now(), planned.then());
    }

    /** The number of slices recorded since somebody asked. */
    long slices() {
        Recording present = recording;
        return present == null ? 0 : present.slices();
    }

    void tick() {
        Recording present = recording;
        if (present != null) {
            present.tick();
        }
    }
}
