package dev.weir.config.document.tree;

/** A parser of a document in any notation. */
public final class TreeReader {
    private static final int MAX_BYTES = 1 << 20;

    private TreeReader() {}

    private interface Notation {
        Tree read(String text) throws Unreadable;
    }

    /** What these bytes say as YAML. */
    public static Tree yaml(byte[] content) throws Unreadable {
        return read(content, YamlTree::read);
    }

    /** What these bytes say as JSON. */
    public static Tree json(byte[] content) throws Unreadable {
        return read(content, JsonTree::read);
    }

    /** What these bytes say as properties. */
    public static Tree properties(byte[] content) throws Unreadable {
        return read(content, PropertiesTree::read);
    }

    private static Tree read(byte[] content, Notation notation) throws Unreadable {
        if (content.length > MAX_BYTES) {
            throw new Unreadable(Place.NONE, "must have at most " + MAX_BYTES + " bytes, was " + content.length);
        }
        String text = Utf8.decoded(content);
        try {
            return notation.read(text);
        } catch (RuntimeException e) {
            throw new Unreadable(Place.NONE, "cannot be read: " + e.getClass().getSimpleName() + " in the parser");
        }
    }
}
