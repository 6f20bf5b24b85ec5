package dev.weir.config.document.tree;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

/** A parser of documents in any notation, with so many bytes, and so many keys and values, at most. */
public record TreeReader(int maxBytes, int maxValues) {
    private static final char MARK = '\uFEFF';

    /** A parsed document, and whether nothing can be missing at its end: it is a newline, or the notation shows the end. */
    public record Tree(Node root, boolean isEnded) {}

    private interface Notation {
        Tree read(String text, TreeBuilder builder) throws Unreadable;
    }

    public Tree yaml(byte[] content) throws Unreadable {
        return read(content, YamlTree::read);
    }

    public Tree json(byte[] content) throws Unreadable {
        return read(content, JsonTree::read);
    }

    private Tree read(byte[] content, Notation notation) throws Unreadable {
        if (content.length > maxBytes) {
            throw new Unreadable(Place.NONE, "must have at most " + maxBytes + " bytes, was " + content.length);
        }
        String text = text(content);
        try {
            return notation.read(text, new TreeBuilder(maxValues));
        } catch (RuntimeException e) {
            throw new Unreadable(Place.NONE, "cannot be read: " + e.getClass().getSimpleName() + " in the parser");
        }
    }

    /** The text without a byte order mark. */
    private static String text(byte[] content) throws Unreadable {
        String start = new String(content, 0, Math.min(content.length, 4), StandardCharsets.ISO_8859_1);
        if (Stream.of("\u00FE\u00FF", "\u00FF\u00FE", "\0\0\u00FE\u00FF").anyMatch(start::startsWith)) {
            throw new Unreadable(new Place(1, 1), "must be UTF-8: it begins with the mark of UTF-16 or UTF-32");
        }
        ByteBuffer bytes = ByteBuffer.wrap(content);
        CharBuffer text = CharBuffer.allocate(content.length);
        CoderResult result = StandardCharsets.UTF_8.newDecoder().decode(bytes, text, true);
        text.flip();
        if (result.isError()) {
            throw new Unreadable(Place.of(text, text.length()), "must be UTF-8");
        }
        return text.length() > 0 && text.charAt(0) == MARK
                ? text.subSequence(1, text.length()).toString()
                : text.toString();
    }
}
