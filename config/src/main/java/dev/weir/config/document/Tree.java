package dev.weir.config.document;

import dev.weir.config.Format;

/**
 * A document as its notation says.
 *
 * @param isClosed whether the notation proves that nothing is missing at the end
 */
record Tree(Node root, boolean isClosed) {
    private static final int MAX_BYTES = 1 << 20;

    static Tree of(byte[] content, Format format) throws Unreadable {
        if (content.length > MAX_BYTES) {
            throw new Unreadable(Place.NONE, "must have at most " + MAX_BYTES + " bytes, was " + content.length);
        }
        String text = Utf8.decoded(content);
        return switch (format) {
            case YAML -> YamlTree.read(text);
            case JSON -> JsonTree.read(text);
            case PROPERTIES -> PropertiesTree.read(text);
        };
    }
}
