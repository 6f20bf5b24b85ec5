package dev.weir.config.source;

import dev.weir.config.document.Format;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Objects;

/**
 * A document that is part of the application: a resource of its class path, for services without a config center and for tests. A
 * resource in a jar does not change while the application runs; one in a directory is read again every 10 seconds. Thread-safe.
 */
public final class ResourceSource implements ConfigSource {

    private final Class<?> near;
    private final String resource;

    private ResourceSource(Class<?> near, String resource) {
        this.near = Objects.requireNonNull(near, "near");
        this.resource = Objects.requireNonNull(resource, "resource");
    }

    /**
     * A source of this resource.
     *
     * @param near a class whose loader finds it
     * @param resource as {@link Class#getResource} takes it: {@code "limits.yaml"} is in the package of the class, {@code
     *     "/limits.yaml"} is not in a package
     */
    public static ResourceSource of(Class<?> near, String resource) {
        return new ResourceSource(near, resource);
    }

    @Override
    public String name() {
        return "resource:" + resource;
    }

    @Override
    public Reading read() throws IOException {
        try (InputStream in = near.getResourceAsStream(resource)) {
            if (in == null) {
                return Reading.absent();
            }
            byte[] content = in.readNBytes(Reading.MAX_BYTES + 1);
            if (content.length > Reading.MAX_BYTES) {
                throw new IOException("must have at most " + Reading.MAX_BYTES + " bytes");
            }
            return Reading.of(content, Format.of(resource)).whole();
        }
    }

    @Override
    public boolean isLocal() {
        return true;
    }

    @Override
    public Duration readEvery() {
        return Duration.ofSeconds(10);
    }

    @Override
    public void close() {}
}
