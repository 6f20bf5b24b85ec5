package dev.weir.samples;

import dev.weir.config.source.ConfigSource;

/** Where the samples keep a document: a place that a source reads, and that a person can change by hand. */
interface DocumentStore extends AutoCloseable {
    /** A new source of the document. */
    ConfigSource source();

    /** Replaces the document. Blocks until it is stored. */
    void write(String document) throws Exception;

    /** What a person does to change the document. */
    String howToChange();

    @Override
    void close();

    /**
     * A new place.
     *
     * @param kind {@code file}, or the name of a server, which is started, and ends when the store is closed
     */
    static DocumentStore of(String kind) throws Exception {
        return switch (kind) {
            case "file" -> new FileStore();
            case "zookeeper" -> new ZooKeeperStore();
            case "etcd" -> new EtcdStore();
            case "redis" -> new RedisStore();
            default ->
                throw new IllegalArgumentException("the source must be file, zookeeper, etcd or redis, was " + kind);
        };
    }
}
