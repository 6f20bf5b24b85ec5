package dev.weir.spi;

/** A registered listener, claim or timer. Closing ends it; closing again does nothing. Waits at most for a change that is under way. */
@FunctionalInterface
public interface Registration extends AutoCloseable {
    @Override
    void close();
}
