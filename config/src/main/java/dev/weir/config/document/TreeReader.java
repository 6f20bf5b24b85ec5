package dev.weir.config.document;

/** Reads a document in any notation. */
final class TreeReader {
    private static final int MAX_BYTES = 1 << 20;

    private TreeReader() {}

    static Tree read(byte[] content, Format format) throws Unreadable {
        if (content.length > MAX_BYTES) {
            throw new Unreadable(Place.NONE, "must have at most " + MAX_BYTES + " bytes, was " + content.length);
        }
        String text = Utf8.decoded(content);
        try {
            return switch (format) {
                case YAML -> YamlTree.read(text);
                case JSON -> JsonTree.read(text);
                case PROPERTIES -> PropertiesTree.read(text);
            };
        } catch (RuntimeException e) {
            throw new Unreadable(Place.NONE, "cannot be read: " + e.getClass().getSimpleName() + " in the parser");
        }
    }
}
