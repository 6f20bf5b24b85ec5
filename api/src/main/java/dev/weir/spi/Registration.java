package dev.weir.spi;

/** A registered listener, claim or timer. Closing ends it; closing again does nothing. Never blocks. */
@FunctionalInterface
public interface Registration extends AutoCloseable {
    @Override
    void close();
}
