package dev.weir.spi;

/** The end of a listener's term. Closing is idempotent and never blocks. */
@FunctionalInterface
public interface Registration extends AutoCloseable {
    @Override
    void close();
}
