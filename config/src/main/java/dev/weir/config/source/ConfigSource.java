package dev.weir.config.source;

import java.time.Duration;
import java.util.List;

/**
 * A source of a document: a file, a node of ZooKeeper, a key of etcd. A source says only what is there <em>now</em>, and when to
 * look again; everything else is done for it: comparing, retrying with a growing delay after a failure, and keeping what is in
 * force while the source is away.
 *
 * <p>{@link #watch}, {@link #read}, {@link #readEvery} and {@link #acknowledge} are called by one thread at a time, which may
 * block. The others may be called by any thread. Making a source does not connect it: the server may be
 * down then.
 */
public interface ConfigSource extends AutoCloseable {
    /** Where the document is, for messages, without passwords: {@code "file:/etc/shop/limits.yaml"}. */
    String name();

    /**
     * Reads what is there now. A source that can wait for a change at the server may do so, from its second reading on, for at
     * most a minute, and return what it has then. Should end with an exception when the thread is interrupted, as it is when
     * the reader is closed: what shares files or channels with the application is read on another thread.
     *
     * @throws Exception if the source cannot be reached; it is asked again, at most once a second
     */
    Reading read() throws Exception;

    /**
     * Called once, before the first reading: from now on the source calls {@code changed}, on any thread, whenever what is there
     * may have changed, and when a lost connection is back. Too many calls do no harm. By default there are none, and the source
     * is read {@linkplain #readEvery at intervals} only.
     *
     * @throws Exception if the source cannot be reached; it is called again later
     */
    default void watch(Runnable changed) throws Exception {}

    /**
     * Returns true if {@link #read} never waits for a server, as for a file or a resource. Then the thread that calls {@code build}
     * makes the first reading, before {@code build} returns and without a limit of time. Default: false, another thread reads.
     */
    default boolean isLocal() {
        return false;
    }

    /** The time from a reading until the next one is due if {@code changed} was not called; zero = at once. 30 seconds by default. */
    default Duration readEvery() {
        return Duration.ofSeconds(30);
    }

    /** True if {@link #acknowledge} and {@link #statuses} do something. */
    default boolean acknowledges() {
        return false;
    }

    /**
     * Writes what this instance runs where {@link #statuses} finds it. It should vanish when the instance does, and when the
     * source is closed.
     *
     * @throws Exception if it cannot be written now; it is tried again. After an outage it is written again
     */
    default void acknowledge(InstanceStatus status) throws Exception {}

    /**
     * The states of the instances.
     *
     * @throws Exception if the source cannot be reached
     */
    default List<InstanceStatus> statuses() throws Exception {
        return List.of();
    }

    /**
     * Frees what the source holds. May be called while another thread reads, which must end then, or within the time-outs of its
     * client. Closing again does nothing.
     */
    @Override
    void close();
}
