package dev.weir.config.document.tree;

import org.jspecify.annotations.Nullable;

/**
 * A parser of documents in any notation.
 *
 * @param maxBytes the largest document
 * @param maxValues how many keys and values it may have
 */
public record TreeReader(int maxBytes, int maxValues) {
    private interface Notation {
        Tree read(String text, TreeBuilder builder) throws Unreadable;
    }

    /** What these bytes say as YAML, after an earlier document, or null for the first one. */
    public Tree yaml(byte[] content, @Nullable Tree before) throws Unreadable {
        return read(content, (text, builder) -> {
            Tree changed = ChangedLines.tree(before, text, maxValues);
            return changed == null ? YamlTree.read(text, builder) : changed;
        });
    }

    /** What these bytes say as JSON. */
    public Tree json(byte[] content) throws Unreadable {
        return read(content, JsonTree::read);
    }

    private Tree read(byte[] content, Notation notation) throws Unreadable {
        if (content.length > maxBytes) {
            throw new Unreadable(Place.NONE, "must have at most " + maxBytes + " bytes, was " + content.length);
        }
        String text = Utf8.decoded(content);
        try {
            return notation.read(text, new TreeBuilder(maxValues));
        } catch (RuntimeException e) {
            throw new Unreadable(Place.NONE, "cannot be read: " + e.getClass().getSimpleName() + " in the parser");
        }
    }
}
