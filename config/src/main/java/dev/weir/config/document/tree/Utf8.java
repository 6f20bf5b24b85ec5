package dev.weir.config.document.tree;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/** A decoder of UTF-8 that replaces nothing. */
final class Utf8 {
    private static final char MARK = '\uFEFF';

    private Utf8() {}

    /** The text without a byte order mark. */
    static String decoded(byte[] content) throws Unreadable {
        if (begins(content, 0xFE, 0xFF) || begins(content, 0xFF, 0xFE) || begins(content, 0, 0, 0xFE, 0xFF)) {
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

    private static boolean begins(byte[] content, int... mark) {
        for (int i = 0; i < mark.length; i++) {
            if (i >= content.length || (content[i] & 0xFF) != mark[i]) {
                return false;
            }
        }
        return true;
    }
}
